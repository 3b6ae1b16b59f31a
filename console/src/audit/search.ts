export interface AuditSearch {
  readonly person?: string | undefined;
  readonly type?: string | undefined;
  readonly thing?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly open?: string | undefined;
}

const NAMES = ["person", "type", "thing", "from", "to", "open"] as const;

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );
}

/** Returns the query of a search: days are complete, in the user's time zone. */
export function toAuditQuery({ person, type, thing, from, to }: AuditSearch) {
  const end = to === undefined ? undefined : new Date(`${to}T00:00:00`);
  end?.setDate(end.getDate() + 1);
  return {
    ...(person !== undefined && { actorId: person }),
    ...(type !== undefined && { type }),
    ...(thing !== undefined && { resource: thing }),
    ...(from !== undefined && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(end && { to: end.toISOString() }),
  };
}
