import { domain } from "#kernel/domain.ts";
import { PasswordChanged, ResetRequested } from "./events.ts";
import { changePassword, forgotPassword, resetPassword } from "./operations.ts";
import { resetForm, resetPage } from "./pages.ts";

export const passwords = domain({
  name: "passwords",
  summary: "Setting a new password.",
  permissions: [],
  events: [ResetRequested, PasswordChanged],
  operations: [forgotPassword, resetPassword, changePassword, resetPage, resetForm],
});
