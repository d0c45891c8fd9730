"""The digital twin: boards, darts, pins and marbles made by code, seen by cameras made by code, with the truth.

One scene description (`vision.synth.scene`), filled by a recipe of each game from nothing but a seed, drawn by two
engines: `vision.synth.fast` (OpenGL on whatever is there, Mesa's software rasteriser included) and, for pictures
that should pass for photographs, Blender.
"""
