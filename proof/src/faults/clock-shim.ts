/** Preloaded into the product: shifts its clock by the milliseconds in a file. */
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
    // Other arguments of Date are passed on unchanged.
    else super(...(parts as [number]));
  }

  static override now(): number {
    return TrueDate.now() + shiftMs;
  }
}

if (file !== undefined) {
  look();
  watchFile(file, { interval: 50, persistent: false }, look);
  // The class creates the same objects as the one it replaces.
  globalThis.Date = ShiftedDate as DateConstructor;
}
