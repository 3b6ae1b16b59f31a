import "./connectors.css";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { labelOf } from "../form/index.ts";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { connectorState, drawType } from "./connector-type.ts";
import { PresetGallery } from "./form/preset-gallery.tsx";

type Listed = Schemas["ListedConnector"];

const SHOWN = 200;
const PAUSE_MS = 200;

const COLUMNS: readonly Column<Listed>[] = [
  {
    id: "name",
    label: "Name",
    sortBy: ({ name }) => name,
    cell: ({ name, type }) => {
      const { icon: Icon } = drawType(type);
      return (
        <span className="row con-name">
          <Icon className="ico" />
          <strong className="cut">{name}</strong>
        </span>
      );
    },
  },
  {
    id: "type",
    label: "Type",
    width: "160px",
    sortBy: ({ type }) => drawType(type).label,
    cell: ({ type, config }) =>
      type === "preset" && typeof config["preset"] === "string"
        ? labelOf(config["preset"])
        : drawType(type).label,
  },
  {
    id: "place",
    label: "Address",
    width: "30%",
    cell: ({ config, document }) => (
      <span className="cut muted">{placeOf(config, document?.title)}</span>
    ),
  },
  {
    id: "status",
    label: "State",
    width: "124px",
    sortBy: ({ status }) => status,
    cell: ({ status, statusReason }) => (
      <span title={statusReason ?? undefined}>
        <State {...connectorState(status)} />
      </span>
    ),
  },
  {
    id: "changed",
    label: "Updated",
    width: "100px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

/** Describes the target of a connector in one line, from the first matching setting. */
function placeOf(config: Readonly<Record<string, unknown>>, title: string | undefined): string {
  const named = ["baseUrl", "url", "host", "webhookUrl", "apiUrl"].map((name) => config[name]);
  const place = named.find((value) => typeof value === "string" && value !== "***");
  return typeof place === "string" ? place.replace(/^https?:\/\//, "") : (title ?? "");
}

export function Connectors() {
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [text, setText] = useState("");
  const words = useDebounced(text.trim(), PAUSE_MS);
  const read = useOp("connectors.list", {
    query: { limit: SHOWN, ...(words !== "" && { q: words }) },
  });
  const { data } = read;
  const reason = refusalOf("connectors.create");
  const make = (): void => void navigate({ to: "/connectors/new" });
  const isNone = data?.data.length === 0 && words === "";
  return (
    <ListPage
      title="Connectors"
      about="Connections to other systems, used by workflows, scripts and apps. Credentials are stored here."
      thing="connector"
      read={read}
      shown={data?.data.length ?? 0}
      find={{ value: text, onChange: setText, by: "names and descriptions" }}
      create={{ label: "New connector", run: make, refusal: reason }}
      empty="Example: a connection to your shop, so that a workflow can read orders."
      start={
        isNone &&
        reason === undefined && (
          <div className="scroll con-start">
            <h2>Select a service to connect</h2>
            <PresetGallery />
          </div>
        )
      }
    >
      <Table
        label="Connectors"
        columns={COLUMNS}
        rows={data?.data ?? []}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/connectors/$id", params: { id } })}
      />
    </ListPage>
  );
}
