"""Labelled pictures in the forms that others train with: YOLO (detect, pose, classify) and COCO."""
