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
      ? "Only owners can change the access of an owner."
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
    said: ({ data: { revoked } }) => `Signed ${member.name} out of ${count(revoked, "session")}.`,
  });
  return (
    <Section
      title="Sessions"
      about={
        isShared
          ? "This person is also a member of other workspaces. You can only end sessions that started with your single sign-on."
          : "Devices where this person is signed in."
      }
      act={
        sessions.length > 0 && (
          <CommandButton command={end} onPress={() => setAsking(true)}>
            Sign out everywhere{" "}
          </CommandButton>
        )
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && sessions.length === 0 && <p className="section-empty">No open sessions.</p>}
      <ul>
        {sessions.map((session) => (
          <SessionEntry key={session.id} session={session} />
        ))}
      </ul>
      {isAsking && (
        <Confirm
          title={`Sign out ${member.name}`}
          act="Sign out"
          onAct={() => {
            setAsking(false);
            void end.run({ params: { id: member.id } });
          }}
          onClose={() => setAsking(false)}
        >
          The person is signed out on all devices immediately, and can sign in again.
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
    perform("users.revoke_token", { params: { id } }, { said: `Token ${name} revoked.` });
  return (
    <Section title="API tokens" about="Apps and scripts use these tokens to act as this person.">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && tokens.length === 0 && <p className="section-empty">No API tokens.</p>}
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
