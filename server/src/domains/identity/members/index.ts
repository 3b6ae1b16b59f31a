import { domain } from "#kernel/domain.ts";
import { UserDeactivated, UserInvited, UserUpdated } from "./events.ts";
import {
  acceptInvitation,
  getUser,
  inviteUser,
  listUsers,
  removeUser,
  updateUser,
} from "./operations.ts";
import { invitationForm, invitationPage } from "./pages.ts";
import { UsersRead, UsersWrite } from "./permissions.ts";

export const members = domain({
  name: "members",
  summary: "Who belongs to a workspace.",
  environmental: false,
  permissions: [UsersRead, UsersWrite],
  events: [UserInvited, UserDeactivated, UserUpdated],
  operations: [
    listUsers,
    getUser,
    inviteUser,
    acceptInvitation,
    invitationPage,
    invitationForm,
    updateUser,
    removeUser,
  ],
});
