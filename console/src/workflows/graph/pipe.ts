/** The path of a wire: down, sideways in the gaps between steps, down, with rounded corners. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const CORNER = 9;
/** Steps that are almost aligned are connected without a bend. */
const ASIDE_MAX = 14;
const LABEL_BELOW = 13;
const LAST = 8;

/** Draws a path from 0 0 through the stops to the end. The label is placed where the wire enters its own column. */
export function drawPipe(
  end: Point,
  stops: readonly Point[],
  turnY: number,
): { readonly path: string; readonly label: Point } {
  let path = "M0 0";
  let [x, y] = [0, 0];
  let label: Point | undefined;
  for (const stop of stops) {
    const across = stop.x - x;
    const at = label ? stop.y : Math.max(turnY, Math.min(stop.y, end.y - LAST));
    if (Math.abs(across) >= ASIDE_MAX) {
      const radius = Math.min(CORNER, Math.abs(across) / 2, Math.max(2, (at - y) / 2));
      path += turn({ x, y: at }, stop.x, radius);
      [x, y] = [stop.x, at];
    }
    label ??= { x: stop.x, y: at + LABEL_BELOW };
  }
  return { path: `${path}V${round(end.y)}`, label: label ?? end };
}

/** Moves a path to another start: a wire that is not animated needs no transform. */
export function movePath(path: string, { x, y }: Point): string {
  return path.replaceAll(/([MVHQ])([^MVHQ]+)/g, (_, command: string, text: string) => {
    const numbers = text.split(" ").map(Number);
    const moved = numbers.map((value, n) =>
      round(value + (command === "V" || (command !== "H" && n % 2 === 1) ? y : x)),
    );
    return command + moved.join(" ");
  });
}

function turn(from: Point, toX: number, radius: number): string {
  const way = Math.sign(toX - from.x);
  const y = round(from.y);
  return (
    `V${round(from.y - radius)}Q${round(from.x)} ${y} ${round(from.x + way * radius)} ${y}` +
    `H${round(toX - way * radius)}Q${round(toX)} ${y} ${round(toX)} ${round(from.y + radius)}`
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
