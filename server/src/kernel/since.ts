import type { Position } from "./event.ts";

/** From when on somebody hears: what was visible in this snapshot is past. */
export interface Since {
  readonly epoch: number;
  /** As PostgreSQL writes it: `xmin:xmax:` and the transactions between them that were under way. */
  readonly snapshot: string;
}

/** Whether an event came after that moment. */
export function compileSince({ epoch, snapshot }: Since): (place: Position) => boolean {
  const [xmin = 0, xmax = 0] = snapshot.split(":", 2).map(Number);
  const underWay = new Set(snapshot.split(":")[2]?.split(",").map(Number));
  const visible = (xid: number): boolean => xid < xmin || (xid < xmax && !underWay.has(xid));
  return (place) => place.epoch > epoch || (place.epoch === epoch && !visible(place.xid));
}
