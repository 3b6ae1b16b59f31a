/** All tables: how large they are, when they changed, and the way to a new one. */
import "./tables.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { Network, Plus, Table2, Upload } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import type { TableShape } from "../column/column.ts";
import { CreateTable } from "./create-table.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

export function Tables() {
  useTitle("Tables");
  const refusalOf = useRefusals();
  const navigate = useNavigate();
  const { data, error, refetch } = useOp("tables.list", { query: { limit: 200 } });
  const [words, setWords] = useState("");
  const [isNew, setNew] = useState(false);
  const refusal = refusalOf("tables.create");
  useActions([{ keys: "n", label: "New table", run: () => setNew(true), disabled: refusal }]);
  const tables = data?.data.filter(({ name, slug, description }) =>
    `${name} ${slug} ${description}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const create = (
    <Button look="main" refusal={refusal} onClick={() => setNew(true)}>
      <Plus /> Table
    </Button>
  );
  return (
    <div className="page paper">
      <header className="page-head">
        <h1>Tables</h1>
        <span className="grow" />
        <TextInput
          className="table-search"
          type="search"
          aria-label="Find a table"
          placeholder="Find a table…"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <Link to="/diagram" search={{}} className="btn" title="How the tables refer to each other">
          <Network /> <span className="wide-only">Diagram</span>
        </Link>
        {refusal === undefined && (
          <Link to="/imports" className="btn" title="A table from a CSV, XLSX or JSON file">
            <Upload /> <span className="wide-only">From a file</span>
          </Link>
        )}
        {create}
      </header>
      <div className="tables-list scroll">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {tables?.length === 0 && words === "" && (
          <Empty title="No tables yet" action={create}>
            A table holds what you work with: orders, devices, people. Make one, or paste one from a
            spreadsheet.
          </Empty>
        )}
        {tables?.length === 0 && words !== "" && <Empty title="No table is called that" />}
        <ul className="table-cards">
          {tables?.map((table) => (
            <TableLine key={table.id} table={table} />
          ))}
        </ul>
      </div>
      {isNew && (
        <CreateTable
          onClose={() => setNew(false)}
          onMade={(slug) => void navigate({ to: "/tables/$slug", params: { slug } })}
        />
      )}
    </div>
  );
}

function TableLine({ table }: { readonly table: TableShape }) {
  const { slug, name, description, columns, createdBy, updatedAt, access } = table;
  const mayRead = access.includes("read");
  const nameOf = useNames();
  const records = useOp(
    "records.summarize",
    { params: { slug }, query: { figures: "max:updatedAt" } },
    { enabled: mayRead },
  ).data?.data.groups[0];
  const last = records?.figures["max:updatedAt"];
  return (
    <li>
      <Link className="table-card" to="/tables/$slug" params={{ slug }}>
        <Table2 className="ico" />
        <span className="table-card-name">
          <strong className="cut">{name}</strong>
          <span className="muted cut">{description || slug}</span>
        </span>
        <span className="muted">{count(columns.length, "column")}</span>
        <span>{records ? count(records.count, "record") : mayRead ? "…" : "Not for you"}</span>
        <span className="table-card-time">
          <Ago at={typeof last === "string" ? last : updatedAt} />
        </span>
        <span className="muted cut table-card-by">{nameOf(createdBy) ?? ""}</span>
      </Link>
    </li>
  );
}
