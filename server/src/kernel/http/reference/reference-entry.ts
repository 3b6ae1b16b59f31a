import type { Domain, Operation } from "../../contract.ts";

/** An operation with its place in the reference. Its aliases are named with it, and listed nowhere else. */
export interface ReferenceEntry {
  readonly operation: Operation;
  readonly area: string;
  readonly method: string;
  readonly path: string;
}

export interface ReferenceArea {
  readonly name: string;
  readonly summary: string;
  readonly entries: readonly ReferenceEntry[];
}

/** The areas of the API with their operations, in the order of the domains. */
export function listAreas(domains: readonly Domain[]): readonly ReferenceArea[] {
  const entries = domains.flatMap(({ name, tag, operations }) =>
    operations.map((operation): ReferenceEntry => {
      const [method = "", path = ""] = operation.route.split(" ");
      return { operation, area: tag ?? name, method, path };
    }),
  );
  const byArea = Map.groupBy(entries, ({ area }) => area);
  return domains
    .filter(({ name, tag }) => tag === undefined && byArea.has(name))
    .map(({ name, summary }) => ({ name, summary, entries: byArea.get(name) ?? [] }));
}

/** The areas with the operations that have each of the words; all without any. */
export function searchAreas(
  areas: readonly ReferenceArea[],
  query: string,
): readonly ReferenceArea[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return areas;
  return areas
    .map((area) => ({
      ...area,
      entries: area.entries.filter(({ operation: { id, summary, route } }) => {
        const text = `${area.name} ${id} ${summary} ${route}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

type Json = Readonly<Record<string, unknown>>;

/** The part of the description that is about one area, with the schemas that it needs and without aliases. */
export function narrowDescription(description: Json, area: string): Json {
  const paths = Object.entries(description["paths"] as Record<string, Json>).flatMap(
    ([path, methods]) => {
      const kept = Object.entries(methods).filter(([, value]) => {
        const { tags, "x-alias-of": alias } = value as { tags?: string[]; "x-alias-of"?: string };
        return tags?.includes(area) && alias === undefined;
      });
      return kept.length > 0 ? [[path, Object.fromEntries(kept)] as const] : [];
    },
  );
  const components = description["components"] as Record<string, Record<string, unknown>>;
  const names = new Set<string>();
  collectSchemaNames(paths, components["schemas"] ?? {}, names);
  return {
    ...description,
    tags: (description["tags"] as readonly { name: string }[]).filter(({ name }) => name === area),
    paths: Object.fromEntries(paths),
    components: {
      ...components,
      schemas: Object.fromEntries([...names].map((name) => [name, components["schemas"]?.[name]])),
    },
  };
}

const SCHEMA_REF = "#/components/schemas/";

function collectSchemaNames(value: unknown, schemas: Json, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string" && $ref.startsWith(SCHEMA_REF)) {
    const name = $ref.slice(SCHEMA_REF.length);
    if (names.has(name)) return;
    names.add(name);
    collectSchemaNames(schemas[name], schemas, names);
  }
  for (const part of Object.values(value)) collectSchemaNames(part, schemas, names);
}
