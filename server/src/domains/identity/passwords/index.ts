import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PasswordChanged, PasswordRefused, ResetRequested } from "./events.ts";
import { resetRetentionJob } from "./service.ts";
import { changePassword, forgotPassword, resetPassword } from "./operations.ts";
import { resetForm, resetPage } from "./pages.ts";
import { deleteResets } from "./store.ts";

export const passwords = domain({
  name: "passwords",
  summary: "Password changes and resets.",
  environmentScoped: false,
  permissions: [],
  events: [ResetRequested, PasswordChanged, PasswordRefused],
  operations: [forgotPassword, resetPassword, changePassword, resetPage, resetForm],
  contributions: [
    contribute(AccountCredentialPoint, {
      kind: "password_resets",
      scope: "account",
      revoke: ({ tx }, userId) => deleteResets(tx, userId),
    }),
  ],
  jobs: [resetRetentionJob],
});
