import { domain } from "#kernel/domain.ts";
import { PasswordChanged, PasswordRefused, ResetRequested } from "./events.ts";
import { resetRetentionJob } from "./service.ts";
import { changePassword, forgotPassword, resetPassword } from "./operations.ts";
import { resetForm, resetPage } from "./pages.ts";

export const passwords = domain({
  name: "passwords",
  summary: "Setting a new password.",
  environmentScoped: false,
  permissions: [],
  events: [ResetRequested, PasswordChanged, PasswordRefused],
  operations: [forgotPassword, resetPassword, changePassword, resetPage, resetForm],
  jobs: [resetRetentionJob],
});
