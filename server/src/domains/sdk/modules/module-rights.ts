/** The permissions of code with modules of other authors: only those that all authors have. */
import { intersectRights, requireRights, type Rights } from "#domains/identity/accounts/index.ts";
import type { ModuleAuthor } from "./linked-modules.ts";
import type { Platform } from "#kernel/contract.ts";

export async function withinModuleAuthors(
  platform: Platform,
  { workspace, authors }: { readonly workspace: string; readonly authors: readonly ModuleAuthor[] },
  rights: Rights,
): Promise<Rights> {
  let shared = rights;
  for (const author of authors) {
    shared = intersectRights(shared, await requireRights(platform, workspace, author));
  }
  return shared;
}
