import "./webhooks.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { Radio } from "lucide-react";
import { useMemo, useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { describeFailure, type Health, shareOf, stateOf } from "./health.ts";
import { HealthStrip } from "./health-strip.tsx";

type Listed = Schemas["ListedWebhook"];

const SHOWN = 200;
/** Deliveries are not in the event log, because each would cause further deliveries. So they are polled. */
const LOOK_MS = 5_000;

export function Webhooks() {
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [words, setWords] = useState("");
  const read = useOp("webhooks.list", { query: { limit: SHOWN } });
  const { data } = read;
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
  const wanted = words.trim().toLowerCase();
  const rows = (data?.data ?? []).filter(({ name, url, events }) =>
    [name, url, ...events].some((text) => text.toLowerCase().includes(wanted)),
  );
  return (
    <ListPage
      title="Webhooks"
      about="Send events to other systems. Deliveries are signed and retried."
      thing="webhook"
      read={read}
      shown={rows.length}
      find={{ value: words, onChange: setWords, by: "name, URL or event" }}
      create={{ label: "New webhook", run: make, refusal: reason }}
      others={
        reason === undefined && (
          <Link to="/webhooks/listen" className="btn">
            <Radio /> Test endpoints
          </Link>
        )
      }
      empty="Example: send incident.created to your chat to post new tickets in a channel."
    >
      <Table
        label="Webhooks"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/webhooks/$id", params: { id } })}
      />
    </ListPage>
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
      label: "Recent deliveries",
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
