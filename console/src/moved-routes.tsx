/** Addresses that screens had before: links in mails, bookmarks and notes keep working. */
import { type ParsedLocation, redirect } from "@tanstack/react-router";
import { movedTo } from "./shell/settings/old-address.ts";

/** Leads on to the new address, with all that the old one said. */
export function followMove({ location }: { readonly location: ParsedLocation }): void {
  const to = movedTo(location.pathname);
  if (to === undefined) return;
  const { search, hash } = location;
  throw redirect({ to, search, hash, replace: true });
}
