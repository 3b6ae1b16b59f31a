import "./webhooks.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, Radio, Webhook as WebhookIcon } from "lucide-react";
import { useMemo, useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { describeFailure, type Health, shareOf, stateOf } from "./health.ts";
import { HealthStrip } from "./health-strip.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

type Listed = Schemas["ListedWebhook"];

const SHOWN = 200;
/** Deliveries are not in the log, or each would be an event that is delivered in turn. */
const LOOK_MS = 5_000;

/** All webhooks, and how each is doing. */
export function Webhooks() {
  useTitle("Webhooks");
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [words, setWords] = useState("");
  const { data, error, isPending, refetch } = useOp("webhooks.list", { query: { limit: SHOWN } });
  const health = useOp(
    "webhooks.list_health",
    { query: { limit: SHOWN } },
    { refetchInterval: LOOK_MS },
  ).data?.data;
  const columns = useMemo(
    () => listColumns(new Map(health?.map((one) => [one.webhookId, one]))),
    [health],
  );
  const reason = refusalOf("webhooks.create");
  const make = (): void => void navigate({ to: "/webhooks/new" });
  useActions([
    { keys: "n", label: "New webhook", run: make, disabled: reason },
    {
      keys: "/",
      label: "Find a webhook",
      run: () => document.getElementById("webhooks-find")?.focus(),
    },
  ]);
  const wanted = words.trim().toLowerCase();
  const rows = (data?.data ?? []).filter(({ name, url, events }) =>
    [name, url, ...events].some((text) => text.toLowerCase().includes(wanted)),
  );
  return (
    <div className="page paper">
      <header className="page-head hook-head">
        <h1 className="grow">Webhooks</h1>
        {(data?.data.length ?? 0) > 0 && (
          <TextInput
            className="hook-find"
            id="webhooks-find"
            type="search"
            aria-label="Find a webhook"
            placeholder="Find…"
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        )}
        {reason === undefined && (
          <Link to="/webhooks/listen" className="btn">
            <Radio /> Test endpoints
          </Link>
        )}
        <Button look="main" refusal={reason} onClick={make}>
          <Plus /> New webhook <Keys keys="n" />
        </Button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={8} />}
      {data && (
        <Table
          label="Webhooks"
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: "/webhooks/$id", params: { id } })}
          empty={
            data.data.length > 0 ? (
              <Empty title="No webhook is like that">
                They are found by name, address and events.
              </Empty>
            ) : (
              <Empty
                title="No webhooks yet"
                action={
                  reason === undefined && (
                    <Button look="main" onClick={make}>
                      <WebhookIcon /> New webhook
                    </Button>
                  )
                }
              >
                A webhook sends events to another system as they happen: signed, retried, and kept
                until they arrive.
              </Empty>
            )
          }
        />
      )}
    </div>
  );
}

function listColumns(health: ReadonlyMap<string, Health>): readonly Column<Listed>[] {
  return [
    {
      id: "name",
      label: "Name",
      sortBy: ({ name }) => name,
      cell: ({ name, url }) => (
        <span className="hook-name">
          <strong className="cut">{name}</strong>
          <span className="muted cut">{new URL(url).host}</span>
        </span>
      ),
    },
    {
      id: "state",
      label: "State",
      width: "118px",
      sortBy: (webhook) => stateOf(webhook, health.get(webhook.id)).label,
      cell: (webhook) => <State {...stateOf(webhook, health.get(webhook.id))} />,
    },
    {
      id: "recent",
      label: "Newest deliveries",
      width: "170px",
      cell: ({ id }) => <HealthStrip recent={health.get(id)?.recent ?? []} />,
    },
    {
      id: "share",
      label: "Delivered",
      width: "84px",
      isNumber: true,
      sortBy: ({ id }) => health.get(id)?.successShare ?? 2,
      cell: ({ id }) => {
        const share = health.get(id)?.successShare ?? null;
        return share === null ? <span className="muted">–</span> : shareOf(share);
      },
    },
    {
      id: "failure",
      label: "Last failure",
      width: "180px",
      sortBy: ({ id }) => health.get(id)?.lastFailure?.at ?? "",
      cell: ({ id }) => {
        const failure = health.get(id)?.lastFailure;
        if (!failure) return <span className="muted">None</span>;
        return (
          <span className="row hook-failure" title={describeFailure(failure)}>
            <span className="cut">{describeFailure(failure)}</span>
            {failure.at !== null && <Ago at={failure.at} />}
          </span>
        );
      },
    },
    {
      id: "events",
      label: "Events",
      width: "22%",
      sortBy: ({ events }) => events.join(" "),
      cell: ({ events }) => (
        <span className="cut mono" title={events.join("\n")}>
          {events.join(", ")}
        </span>
      ),
    },
  ];
}
