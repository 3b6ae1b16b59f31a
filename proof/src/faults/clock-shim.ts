/** Preloaded into the product: its clock shows what a file says, in milliseconds away from the true time. */
import { readFileSync, watchFile } from "node:fs";

const file = process.env["PROOF_CLOCK_FILE"];
const TrueDate = Date;
let shiftMs = 0;

function look(): void {
  if (file !== undefined) shiftMs = Number(readFileSync(file, "utf8"));
}

class ShiftedDate extends TrueDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(TrueDate.now() + shiftMs);
    // Whatever else a date may be made of is passed on as it is.
    else super(...(parts as [number]));
  }

  static override now(): number {
    return TrueDate.now() + shiftMs;
  }
}

if (file !== undefined) {
  look();
  watchFile(file, { interval: 50, persistent: false }, look);
  // The class makes the same objects as the one that it takes the place of.
  globalThis.Date = ShiftedDate as DateConstructor;
}
