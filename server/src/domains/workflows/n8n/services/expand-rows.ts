/** Expands `crud` and `each` rows of a file to plain rows. */
import type { Crud, ServiceFile, ServiceRow } from "./service-file.ts";

/** Lists the plain rows of a file. */
export function expandRows(rows: ServiceFile["rows"]): ServiceRow[] {
  return rows.flatMap((row): ServiceRow[] => {
    if ("crud" in row) return crudRows(row.crud);
    if (!("each" in row)) return [row];
    return row.each.flatMap((values) => expandRows(fillIn(row.rows, values)));
  });
}

function fillIn<T>(part: T, values: Readonly<Record<string, string>>): T {
  const filled = JSON.stringify(part).replaceAll(/<(\w+)>/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? JSON.stringify(values[name]).slice(1, -1) : whole,
  );
  return JSON.parse(filled) as T;
}

function crudRows(about: Crud): ServiceRow[] {
  const { resource, path, id, method = "PUT", one = "n8n.toList([one.body])" } = about;
  const takes = `additionalFields updateFields ${about.takes ?? ""}`;
  // Used by the test: the parameters in the path.
  const inPath = Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "1"]),
  );
  const sample = { ...inPath, [id]: "1" };
  const items = `=${one}`;
  const ofOne = `${path}/{${id}}`;
  const rows: ServiceRow[] = [
    {
      on: `${resource}.create`,
      request: `POST ${path}`,
      body: about.body ?? { $members: ["additionalFields"] },
      items,
      takes,
      sample: about.sample ?? {},
    },
    {
      on: `${resource}.update`,
      request: `${method} ${ofOne}`,
      body: about.change ?? { $members: ["updateFields"] },
      items,
      takes,
      sample,
    },
    { on: `${resource}.get`, request: `GET ${ofOne}`, items, sample },
    {
      on: `${resource}.delete`,
      request: `DELETE ${ofOne}`,
      items: "=[{ success: true }]",
      sample,
    },
    {
      on: `${resource}.getAll`,
      request: `GET ${path}`,
      query: { [about.size ?? "per_page"]: "=100" },
      items: `=${about.list ?? "n8n.toList(one.body)"}`,
      isList: true,
      takes: "filters options additionalFields",
      notes: ["of a list, the first page is read, whatever it is filtered by"],
      sample: inPath,
    },
  ];
  const left = new Set(about.without?.split(" ").map((name) => `${resource}.${name}`));
  return rows.filter(({ on }) => !left.has(on));
}
