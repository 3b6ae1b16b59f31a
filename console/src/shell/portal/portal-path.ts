/** Returns the portal page that corresponds to a console page; undefined without a counterpart. */
export function portalPathOf(path: string): string | undefined {
  if (path === "/" || path === "/desk") return "";
  const [, ticket] = /^\/(?:tickets|desk\/\w+)\/((?:INC|REQ)\d{7,15})$/.exec(path) ?? [];
  if (ticket !== undefined) return `/tickets/${ticket}`;
  const [, item] = /^\/catalog\/(cat_[0-9a-z]{26})$/.exec(path) ?? [];
  if (item !== undefined) return `/ask/${item}`;
  return path === "/catalog" ? "/ask" : undefined;
}
