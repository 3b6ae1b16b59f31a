export interface PeopleSearch {
  readonly tab?: "invitations" | undefined;
  readonly q?: string | undefined;
}

export function readPeopleSearch(search: Readonly<Record<string, unknown>>): PeopleSearch {
  const { tab, q } = search;
  return {
    tab: tab === "invitations" ? tab : undefined,
    q: typeof q === "string" && q !== "" ? q : undefined,
  };
}
