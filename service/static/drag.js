// Pieces that are dragged: a press that does not move stays a tap, for fingers and mice alike.

const SLOP_PX = 7; // a finger trembles so much

/**
 * Let pieces in a node be dragged.
 * @param {Element} root keeps its place while what is in it is painted anew
 * @param {(event: PointerEvent) => any} pick what is under the pointer, null for nothing that can be dragged
 * @param {{begin?: Function, move: Function, drop: Function, end?: Function}} on each is given the piece and the event
 */
export function draggable(root, pick, on) {
  let held = null;
  let moving = false;
  const end = (event) => {
    if (moving) on.end?.(held.piece, event);
    held = null;
    moving = false;
  };
  root.addEventListener("pointerdown", (event) => {
    const piece = event.isPrimary && event.button === 0 ? pick(event) : null;
    if (piece !== null) held = { piece, id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  root.addEventListener("pointermove", (event) => {
    if (held?.id !== event.pointerId) return;
    if (!moving) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < SLOP_PX) return;
      moving = true;
      root.setPointerCapture(held.id);
      on.begin?.(held.piece, event);
    }
    on.move(held.piece, event);
  });
  root.addEventListener("pointerup", (event) => {
    if (held?.id !== event.pointerId) return;
    const { piece } = held;
    const dropped = moving;
    end(event);
    if (!dropped) return;
    const swallow = (click) => click.stopPropagation(); // the click after a drag is no tap on what lies there
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0);
    on.drop(piece, event);
  });
  root.addEventListener("pointercancel", end);
}
