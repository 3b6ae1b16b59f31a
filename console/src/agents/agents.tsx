import "./agents.css";
import { Link } from "@tanstack/react-router";
import { AppWindow, Bot } from "lucide-react";
import { useState } from "react";
import { useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { useTitle } from "../shell/title.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";
import { DecidedCalls, PendingCalls } from "./calls.tsx";
import { Policy } from "./policy.tsx";
import type { Agent } from "./words.ts";
import { Button } from "../ui/form/button.tsx";

const AGENTS_MAX = 200;

/** Clients that use the Model Context Protocol: agents, their calls, pending approvals and policy. */
export function Agents() {
  useTitle("Agents");
  return (
    <div className="scroll folio">
      <div className="folio-body">
        <h1>Agents</h1>
        <Section
          title="Connect an agent"
          about="Add this MCP server address to your agent. The agent then asks you to sign in and allow access."
        >
          <div className="section-body">
            <CopyLine text={`${window.location.origin}/mcp`} label="MCP server address" />
          </div>
        </Section>
        <Section title="Waiting for approval">
          <div className="agent-pending">
            <PendingCalls />
          </div>
        </Section>
        <AgentList />
        <Policy />
        <Section title="Decisions">
          <DecidedCalls />
        </Section>
      </div>
    </div>
  );
}

function AgentList() {
  const { data, error, isPending, refetch } = useOp("agents.list", {
    query: { limit: AGENTS_MAX },
  });
  const [ending, setEnding] = useState<Agent>();
  const end = ({ id, name }: Agent): void => {
    setEnding(undefined);
    void perform("agents.revoke", { params: { id } }, { said: `Access of ${name} revoked.` });
  };
  const agents = data?.data ?? [];
  return (
    <Section
      title="Agents"
      about={
        data &&
        (agents.length === 0
          ? "No agents connected yet."
          : `${count(agents.length, "agent")}. Each agent has at most the permissions of its user.`)
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      <ul aria-label="Agents">
        {agents.map((agent) => (
          <AgentEntry key={agent.id} agent={agent} onEnd={() => setEnding(agent)} />
        ))}
      </ul>
      {ending && (
        <Confirm
          title={`Revoke access of ${ending.name}?`}
          act="Revoke access"
          onAct={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          The agent loses access immediately, and its pending calls are cancelled.
        </Confirm>
      )}
    </Section>
  );
}

function AgentEntry({ agent, onEnd }: { readonly agent: Agent; readonly onEnd: () => void }) {
  const may = useMay();
  const { id, kind, name, person, scopes, lastUsedAt, pendingCalls, isOwn } = agent;
  return (
    <Entry
      icon={kind === "token" ? <Bot className="ico" /> : <AppWindow className="ico" />}
      title={
        <>
          {name} {pendingCalls > 0 && <span className="tag warn">{pendingCalls} waiting</span>}
        </>
      }
      about={
        <>
          {isOwn ? "Your agent" : `Agent of ${person.name}`} ·{" "}
          <span title={scopes.join(", ")}>{count(scopes.length, "permission")}</span> ·{" "}
          {lastUsedAt === null ? (
            "never used"
          ) : (
            <>
              last used <Ago at={lastUsedAt} />
            </>
          )}
        </>
      }
      act={
        <>
          {may("audit.get") && (
            <Link className="btn" to="/settings/audit" search={{ person: id }}>
              View activity
            </Link>
          )}
          <Button aria-label={`Revoke access of ${name}`} onClick={onEnd}>
            Revoke access
          </Button>
        </>
      }
    />
  );
}
