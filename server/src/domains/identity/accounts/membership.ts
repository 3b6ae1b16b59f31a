import type { Membership } from "#kernel/caller.ts";
import { failure } from "#kernel/failure.ts";
import { workspaceIdOf } from "#kernel/id.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { expand, type Permission } from "#kernel/permission.ts";
import * as store from "./store.ts";

export const MfaEnrollmentRequired = failure(
  "mfa_enrollment_required",
  403,
  "This workspace demands a second factor; enrol one first.",
);

/** Makes a person a member of the workspace that the act is in. */
export async function addMember(
  ctx: WriteContext<never>,
  member: { readonly userId: string; readonly roles: readonly string[] },
): Promise<void> {
  await store.insertMembership(ctx.tx, { ...member, now: ctx.now });
}

export function toMemberOf({ workspace, slug, name, roles }: store.MembershipRow) {
  return { id: workspaceIdOf(workspace), slug, name, roles: [...roles] };
}

/** What a person may do in one workspace: the union of what their roles grant. */
export function toMembership(row: store.MembershipRow, catalog: readonly Permission[]): Membership {
  const { workspace, slug, name, roles, granted, barred } = row;
  const builtIn = catalog.filter((one) => one.roles.some((role) => roles.includes(role)));
  return {
    workspace: { key: workspace, id: workspaceIdOf(workspace), slug, name },
    roles,
    permissions: new Set([...builtIn.map((one) => one.name), ...expand(granted, catalog)]),
    ...(barred && { barred: MfaEnrollmentRequired }),
  };
}
