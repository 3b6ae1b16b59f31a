import { Monitor, Terminal } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { perform } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";
import { nameClient } from "./client-name.ts";
import { Button } from "../ui/form/button.tsx";

type OpenSession = Schemas["OpenSession"];

const SHOWN = 50;

/** The user's sessions, with an action to end them. */
export function Sessions() {
  const { data, error, isPending, refetch } = useOp("auth.list_sessions", {
    query: { limit: SHOWN },
  });
  const [isAsking, setAsking] = useState(false);
  const sessions = data?.data ?? [];
  const others = sessions.filter(({ current }) => !current).length;
  const endOne = ({ id, client }: OpenSession) =>
    perform(
      "auth.revoke_session",
      { params: { id } },
      { said: `${nameClient(client)} is signed out.` },
    );
  const endOthers = (): void => {
    setAsking(false);
    void perform(
      "auth.revoke_other_sessions",
      {},
      {
        said: ({ data: { revoked } }) => `Signed out of ${count(revoked, "session")}.`,
      },
    );
  };
  return (
    <Section
      title="Sessions"
      about="Devices where you are signed in. If you don't recognise a session, sign it out and change your password."
      act={others > 0 && <Button onClick={() => setAsking(true)}>Sign out other sessions</Button>}
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      <ul>
        {sessions.map((session) => (
          <SessionEntry
            key={session.id}
            session={session}
            act={
              !session.current && (
                <Button
                  aria-label={`Sign out ${nameClient(session.client)}`}
                  onClick={() => void endOne(session)}
                >
                  Sign out
                </Button>
              )
            }
          />
        ))}
      </ul>
      {isAsking && (
        <Confirm
          title="Sign out other sessions"
          act="Sign out"
          onAct={endOthers}
          onClose={() => setAsking(false)}
        >
          {count(others, "session")} on other devices and in other browsers are signed out
          immediately. This session stays open.
        </Confirm>
      )}
    </Section>
  );
}

/** A session: client, place and last use. */
export function SessionEntry(props: {
  readonly session: OpenSession;
  readonly act?: React.ReactNode;
}) {
  const { client, address, createdAt, lastUsedAt, current, workspaceId } = props.session;
  const isBrowser = client.startsWith("Mozilla");
  return (
    <Entry
      icon={isBrowser ? <Monitor className="ico" /> : <Terminal className="ico" />}
      title={
        <>
          <span title={client}>{nameClient(client)}</span>
          {current && <span className="tag ok">This session</span>}
          {workspaceId !== undefined && <span className="tag">Single sign-on</span>}
        </>
      }
      about={
        <>
          {address === "" ? "Unknown address" : address} · signed in <Ago at={createdAt} />
          {lastUsedAt && (
            <>
              {" "}
              · used <Ago at={lastUsedAt} />
            </>
          )}
        </>
      }
      act={props.act}
    />
  );
}
