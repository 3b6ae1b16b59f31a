/** The names and values of an object as rows, which stay where they are while a name is typed. */
import { useState } from "react";
import { isFields } from "./pointer.ts";

export type MapRow = readonly [name: string, value: unknown];

/** A name that another row has already. It is shown, and not part of the value. */
interface Clash {
  readonly row: number;
  readonly name: string;
}

/** The rows in the order that they had: an object puts names that are numbers first. */
export function orderRows(value: unknown, order: readonly string[]): readonly MapRow[] {
  const fields = isFields(value) ? value : {};
  const names = Object.keys(fields);
  const known = order.filter((name) => Object.hasOwn(fields, name));
  const isKnown = new Set(known);
  return [...known, ...names.filter((name) => !isKnown.has(name))].map((name) => [
    name,
    fields[name],
  ]);
}

export function useMapRows(value: unknown, onChange: (value: unknown) => void) {
  const [order, setOrder] = useState<readonly string[]>([]);
  const [clash, setClash] = useState<Clash>();
  const rows = orderRows(value, order);
  const put = (next: readonly MapRow[]): void => {
    setOrder(next.map(([name]) => name));
    setClash(undefined);
    onChange(Object.fromEntries(next));
  };
  const rename = (row: number, name: string): void => {
    if (rows.some(([other], n) => other === name && n !== row)) return setClash({ row, name });
    return put(rows.map(([old, own], n) => [n === row ? name : old, own]));
  };
  return { rows, clash, rename, put };
}
