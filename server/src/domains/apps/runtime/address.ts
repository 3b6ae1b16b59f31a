/** Where a deployed app is found. */
export interface AppAddress {
  /** Of ours, with the path that we are found under, if any. */
  readonly origin: string;
  readonly workspace: string;
  readonly slug: string;
  /** Of the page, with a slash in front. */
  readonly path: string;
}

/** The address of a page, with a query. */
export function addressOf(
  { origin, workspace, slug, path }: AppAddress,
  query: Readonly<Record<string, string>> = {},
): string {
  const page = path === "/" ? "" : path;
  const search = new URLSearchParams(query).toString();
  const base = new URL(origin).href.replace(/\/+$/, "");
  return `${base}/apps/${workspace}/${slug}${page}${search && `?${search}`}`;
}

/** The same without the origin, for our own pages. */
export function pathOf(address: AppAddress, query: Readonly<Record<string, string>> = {}): string {
  return localOf(addressOf(address, query));
}

/** The path that we are found under: empty, unless a proxy puts us below one. */
export function prefixOf(origin: string): string {
  return new URL(origin).pathname.replace(/\/+$/, "");
}

function localOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
