import { evaluationFailure, type Place } from "../error-messages.ts";
import { handOver, type Machine, spend } from "./evaluation.ts";
import type { NativeFunction } from "./native.ts";
import { charge, isArray } from "./value.ts";

/** The functions of numbers. */
export const NUMBER_FUNCTIONS: readonly (readonly [string, NativeFunction])[] = [
  ["number", { counts: [0, 1], takesContext: true, call: toNumber }],
  ["abs", ofNumber(Math.abs)],
  ["floor", ofNumber(Math.floor)],
  ["ceil", ofNumber(Math.ceil)],
  ["fromMillis", ofNumber(fromMillis)],
  ["round", { counts: [1, 2], call: round }],
  ["sum", ofNumbers(total)],
  ["average", ofNumbers((numbers) => total(numbers) / numbers.length)],
  ["max", ofNumbers((numbers) => Math.max(...numbers))],
  ["min", ofNumbers((numbers) => Math.min(...numbers))],
];

/** A function of one number, which gives nothing for nothing. */
function ofNumber(compute: (value: number) => unknown): NativeFunction {
  return {
    counts: [0, 1],
    takesContext: true,
    call: ([value], _, place) => {
      if (value === undefined) return undefined;
      if (typeof value !== "number") throw evaluationFailure("T0410", place);
      return compute(value);
    },
  };
}

/** A function of an array of numbers, or of one. */
function ofNumbers(compute: (numbers: readonly number[]) => number): NativeFunction {
  return {
    counts: [1],
    call: ([value], machine, place) => {
      if (value === undefined) return undefined;
      const members = isArray(value) ? value : [value];
      spend(machine, members.length);
      if (!members.every((member) => typeof member === "number")) {
        throw evaluationFailure("T0412", place);
      }
      if (members.length === 0 && compute !== total) return undefined;
      const result = compute(members);
      if (!Number.isFinite(result)) throw handOver;
      return result;
    },
  };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$/;

function toNumber([value]: readonly unknown[], machine: Machine, place: Place): unknown {
  if (value === undefined || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") throw evaluationFailure("T0410", place);
  spend(machine, charge(value));
  const number = DECIMAL.test(value) ? Number.parseFloat(value) : Number.NaN;
  // Also other bases, of which JSONata has its own view.
  if (!Number.isFinite(number)) throw handOver;
  return number;
}

const YEAR_10000_MS = 253_402_300_800_000;

function fromMillis(ms: number): string {
  if (!Number.isInteger(ms) || ms < 0 || ms >= YEAR_10000_MS) throw handOver;
  return new Date(ms).toISOString();
}

/** Half goes to the even neighbour. The point is shifted in text, since multiplying would be inexact. */
function round([value, places]: readonly unknown[], _: Machine, place: Place): unknown {
  if (places !== undefined && typeof places !== "number") throw handOver;
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw evaluationFailure("T0410", place);
  const shifted = places ? shift(value, places) : value;
  const nearest = Math.round(shifted);
  const isTie = Math.abs(nearest - shifted) === 0.5 && Math.abs(nearest % 2) === 1;
  const even = isTie ? nearest - 1 : nearest;
  const result = places ? shift(even, -places) : even;
  if (!Number.isFinite(result)) throw handOver;
  return result;
}

function shift(value: number, places: number): number {
  const [digits = "", exponent = "0"] = value.toString().split("e");
  return Number(`${digits}e${Number(exponent) + places}`);
}
