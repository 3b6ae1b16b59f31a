import { toWords } from "../ui/words.ts";

const PLURALS: Readonly<Record<string, string>> = {
  storage: "Storage",
  software: "Software",
  network: "Network",
  other: "Others",
  switch: "Switches",
};

export function toPlural(name: string): string {
  const own = PLURALS[name];
  if (own !== undefined) return own;
  const words = toWords(name);
  return words.endsWith("y") ? `${words.slice(0, -1)}ies` : `${words}s`;
}
