/** Former addresses of screens, so that links in e-mails and bookmarks keep working. */
import { type ParsedLocation, redirect } from "@tanstack/react-router";
import { movedTo } from "./shell/settings/old-address.ts";

/** Redirects to the new address and keeps all parameters. */
export function followMove({ location }: { readonly location: ParsedLocation }): void {
  const to = movedTo(location.pathname);
  if (to === undefined) return;
  const { search, hash } = location;
  throw redirect({ to, search, hash, replace: true });
}
