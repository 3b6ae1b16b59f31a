import { getMember, renameUser } from "#domains/identity/accounts/index.ts";
import { requireSession, SessionRequired } from "#domains/identity/mfa/index.ts";
import { User } from "#domains/identity/accounts/index.ts";
import { diffResource } from "#kernel/log/event.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { UserUpdated } from "./events.ts";
import { toMember } from "./service.ts";

/** Each workspace of the account receives the event; a person may belong to thousands. */
const WORKSPACES_MAX = 100;

export const updateMe = command({
  id: "auth.update_me",
  route: "PATCH /api/v1/auth/me",
  summary: "Change your own name",
  description: "The name applies to all workspaces of the account. Tokens can't change it.",
  access: "account",
  body: object({ name: line(100) }),
  response: item(User),
  emits: [UserUpdated],
  fails: [SessionRequired],
  allowNoop: true,
  example: { body: { name: "Ada Lovelace" } },
  async run(ctx, { body: { name } }) {
    const { user, memberships } = requireSession(ctx.caller);
    const { id, email } = user;
    const affected = [...memberships.values()].slice(0, WORKSPACES_MAX);
    const before = [];
    for (const { workspace } of affected) {
      ctx.switchPartition({ workspace: workspace.key, environment: "production" });
      before.push(toMember(await getMember(ctx.tx, id)));
    }
    await renameUser(ctx.tx, id, name, ctx.now);
    for (const [at, { workspace }] of affected.entries()) {
      ctx.switchPartition({ workspace: workspace.key, environment: "production" });
      const old = before[at];
      if (old && old.name !== name) {
        const data = diffResource(old, { ...old, name });
        ctx.emit(UserUpdated, { id, displayName: name }, data);
      }
    }
    return { id, email, name, status: "active" as const };
  },
});
