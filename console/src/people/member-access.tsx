import { useState } from "react";
import { type ApiToken, SessionEntry, TokenEntry } from "../account/index.ts";
import { type Schemas, useOp } from "../data/api.ts";
import { useMe } from "../data/people.ts";
import { perform, useCommand } from "../data/use-command.ts";
import { Section } from "../ui/display/section.tsx";
import { ErrorNotice } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { count } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";

type Member = Schemas["Member"];

/** The sessions and tokens of a member, with actions to end them. */
export function MemberAccess({ member }: { readonly member: Member }) {
  const me = useMe();
  const isOwner = member.roles.includes("owner");
  const reason =
    isOwner && me?.roles.includes("owner") !== true
      ? "Only an owner ends what an owner has."
      : undefined;
  return (
    <>
      <MemberSessions member={member} reason={reason} />
      <MemberTokens member={member} reason={reason} />
    </>
  );
}

interface PartProps {
  readonly member: Member;
  /** The reason why nothing can be ended; undefined if it is allowed. */
  readonly reason: string | undefined;
}

function MemberSessions({ member, reason }: PartProps) {
  const { data, error, refetch } = useOp("users.list_sessions", { params: { id: member.id } });
  const [isAsking, setAsking] = useState(false);
  const { sessions = [], isShared = false } = data?.data ?? {};
  const end = useCommand("users.revoke_sessions", {
    refusal: reason,
    said: ({ data: { revoked } }) => `${count(revoked, "session")} of ${member.name} ended.`,
  });
  return (
    <Section
      title="Sessions"
      about={
        isShared
          ? "They belong to other workspaces too: only what your single sign-on began is yours to end."
          : "Where they are signed in."
      }
      act={
        sessions.length > 0 && (
          <CommandButton command={end} onPress={() => setAsking(true)}>
            End all
          </CommandButton>
        )
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && sessions.length === 0 && <p className="section-empty">None is open.</p>}
      <ul>
        {sessions.map((session) => (
          <SessionEntry key={session.id} session={session} />
        ))}
      </ul>
      {isAsking && (
        <Confirm
          title={`End the sessions of ${member.name}`}
          act="End them"
          onAct={() => {
            setAsking(false);
            void end.run({ params: { id: member.id } });
          }}
          onClose={() => setAsking(false)}
        >
          They are signed out everywhere at once, and may sign in again.
        </Confirm>
      )}
    </Section>
  );
}

function MemberTokens({ member, reason }: PartProps) {
  const { data, error, refetch } = useOp("users.list_tokens", {
    query: { userId: member.id, limit: 200 },
  });
  const tokens = data?.data ?? [];
  const end = ({ id, name }: ApiToken) =>
    perform("users.revoke_token", { params: { id } }, { said: `${name} is revoked.` });
  return (
    <Section title="API tokens" about="Scripts and programs that act in their name.">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && tokens.length === 0 && <p className="section-empty">They have made none.</p>}
      <ul>
        {tokens.map((token) => (
          <TokenEntry
            key={token.id}
            token={token}
            act={
              <Button
                refusal={reason}
                aria-label={`Revoke ${token.name}`}
                onClick={() => void end(token)}
              >
                Revoke
              </Button>
            }
          />
        ))}
      </ul>
    </Section>
  );
}
