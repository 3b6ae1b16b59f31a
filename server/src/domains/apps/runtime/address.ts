/** The address of a page of a deployed app. */
export interface AppAddress {
  /** The origin of this server, with the path prefix of a proxy, if any. */
  readonly origin: string;
  readonly workspace: string;
  readonly slug: string;
  /** The path of the page, with a leading slash. */
  readonly path: string;
  /** True on a custom domain, where paths start with the page. */
  readonly isAtDomain?: boolean | undefined;
}

/** Builds the URL of a page, with a query. */
export function buildAppUrl(
  { origin, workspace, slug, path, isAtDomain }: AppAddress,
  query: Readonly<Record<string, string>> = {},
): string {
  const page = path === "/" ? "" : path;
  const search = new URLSearchParams(query).toString();
  const base = new URL(origin).href.replace(/\/+$/, "");
  const app = isAtDomain === true ? page || "/" : `/apps/${workspace}/${slug}${page}`;
  return `${base}${app}${search && `?${search}`}`;
}

/** Builds the path of a page, with a query, for pages of this server. */
export function buildAppPath(
  address: AppAddress,
  query: Readonly<Record<string, string>> = {},
): string {
  return pathAndQuery(buildAppUrl(address, query));
}

/** The path prefix of a proxy; empty without one. */
export function prefixOf(origin: string): string {
  return new URL(origin).pathname.replace(/\/+$/, "");
}

function pathAndQuery(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
