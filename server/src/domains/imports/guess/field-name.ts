import { isReservedName } from "#domains/tables/index.ts";

const NAME_CHARACTERS_MAX = 40;

/** Names for columns, each once: letters and digits of their headers, `Order date` as `orderDate`. */
export function nameFields(headers: readonly string[]): string[] {
  const taken = new Set<string>();
  return headers.map((header, index) => {
    const base = toName(header) || `column${index + 1}`;
    let name = base;
    for (let count = 2; taken.has(name.toLowerCase()) || isReservedName(name); count += 1)
      name = `${base}${count}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

function toName(header: string): string {
  const words = header
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  const joined = words
    .map((word, index) => {
      const rest = word === word.toUpperCase() ? word.toLowerCase() : word;
      const first = index === 0 ? rest.charAt(0).toLowerCase() : rest.charAt(0).toUpperCase();
      return first + rest.slice(1);
    })
    .join("");
  return joined.replace(/^[^A-Za-z]+/, "").slice(0, NAME_CHARACTERS_MAX);
}
