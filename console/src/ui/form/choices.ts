import { toWords } from "../words.ts";

export type Choice<T extends string | number = string> = readonly [value: T, label: string];

/** A choice under a heading. */
export type GroupedChoice<T extends string | number = string> = readonly [
  value: T,
  label: string,
  group: string,
];

/** Returns choices for an enumeration of the API, in the order of `words` if given. */
export function choicesOf<const T extends string>(
  values: readonly T[],
  words?: Readonly<Record<T, string>>,
): readonly Choice<T>[] {
  const ordered = words ? (Object.keys(words) as T[]) : values;
  return ordered.map((value) => [value, words?.[value] ?? toWords(value)]);
}
