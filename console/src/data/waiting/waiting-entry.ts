export interface WaitingEntry {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly about: string;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
  readonly state?: string;
  readonly at: string;
}

/** Merges the lists; a ticket that is assigned to me and needs my approval is listed once. */
export function joinWaiting(
  total: number,
  lists: readonly (readonly WaitingEntry[])[],
): { readonly entries: readonly WaitingEntry[]; readonly total: number } {
  const all = lists.flat();
  const entries = all.filter(({ id }, n) => all.findIndex((one) => one.id === id) === n);
  return { entries, total: total - (all.length - entries.length) };
}
