import { UserActivated } from "#domains/identity/accounts/index.ts";
import { changeEvent, event } from "#kernel/event.ts";
import { Invitation, Member } from "./member.ts";

export const UserInvited = event("user.invited", {
  resource: "user",
  summary: "Somebody was invited to the workspace.",
  data: Invitation,
});
export const UserDeactivated = event("user.deactivated", {
  resource: "user",
  summary: "A person is no longer an active member of the workspace.",
  data: Member,
});
export const UserUpdated = changeEvent("user.updated", {
  resource: "user",
  summary: "A member's particulars were changed.",
  data: Member,
});
export { UserActivated };
