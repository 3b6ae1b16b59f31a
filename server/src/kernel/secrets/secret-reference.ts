import { mapJson } from "../schema/map-json.ts";

/** The pattern of secret names, here and in the vault. */
export const SECRET_NAME = "[A-Za-z_][A-Za-z0-9_]*";
const REFERENCE = new RegExp(`\\{\\{\\s*secrets\\.(${SECRET_NAME})\\s*\\}\\}`, "g");

/** The names of secrets that a value references as `{{secrets.NAME}}`, at any depth. */
export function findSecretReferences(value: unknown): string[] {
  const names = new Set<string>();
  mapJson(value, (leaf) => {
    if (typeof leaf !== "string" || !leaf.includes("{{")) return leaf;
    for (const [, name = ""] of leaf.matchAll(REFERENCE)) names.add(name);
    return leaf;
  });
  return [...names];
}

/** Replaces the references of a value. Secret values are not searched for references. */
export function substituteSecrets(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  return mapJson(value, (leaf) =>
    typeof leaf === "string" && leaf.includes("{{")
      ? leaf.replaceAll(REFERENCE, (whole, name: string) => secrets.get(name) ?? whole)
      : leaf,
  );
}
