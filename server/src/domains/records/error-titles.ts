/** Adds column titles to field errors: API clients use the path, people read the title. */
import type { TableSchema } from "#domains/tables/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";

/** Adds the title of the column to each error whose path ends with the name of one. */
export function titleErrors(
  { byName, computed }: Pick<TableSchema, "byName" | "computed">,
  errors: readonly FieldError[],
): readonly FieldError[] {
  return errors.map((error) => {
    const end = error.path.lastIndexOf("/");
    const name = error.path.slice(end + 1);
    const column = end === -1 ? undefined : (byName.get(name) ?? computed.get(name));
    return column ? { ...error, title: column.title } : error;
  });
}

/** The first error as a sentence: "Price € must be a number", or "Record 3: Price € must be a number". */
export function describeFirst([first]: readonly FieldError[]): string {
  if (!first) return "";
  const { path, message, title } = first;
  if (title === undefined) return `${path} ${message}`.trim();
  const parent = path.slice(0, path.lastIndexOf("/"));
  const index = /\/(\d+)$/.exec(parent)?.[1];
  const line = /^line (\d+)$/.exec(parent)?.[1];
  const place =
    index === undefined
      ? line === undefined
        ? ""
        : `Line ${line}: `
      : `Record ${Number(index) + 1}: `;
  return `${place}${title} ${message}`;
}
