/** All tables with size and last change, and an action to create one. */
import "./tables.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { Network, Table2, Upload } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusals } from "../../data/people.ts";
import { ListPage } from "../../shell/list/list-page.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import type { TableShape } from "../column/column.ts";
import { CreateTable } from "./create-table.tsx";

export function Tables() {
  const refusalOf = useRefusals();
  const navigate = useNavigate();
  const read = useOp("tables.list", { query: { limit: 200 } });
  const [words, setWords] = useState("");
  const [isNew, setNew] = useState(false);
  const refusal = refusalOf("tables.create");
  const tables = (read.data?.data ?? []).filter(({ name, slug, description }) =>
    `${name} ${slug} ${description}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  return (
    <>
      <ListPage
        title="Tables"
        about="Structured data such as orders, devices or people. Use it in workflows, apps and reports."
        thing="table"
        read={read}
        shown={tables.length}
        find={{ value: words, onChange: setWords, by: "names and descriptions" }}
        create={{ label: "New table", run: () => setNew(true), refusal }}
        others={
          <>
            <Link to="/diagram" search={{}} className="btn" title="Show how the tables are related">
              <Network /> <span className="wide-only">Diagram</span>
            </Link>
            {refusal === undefined && (
              <Link
                to="/imports"
                className="btn"
                title="Create a table from a CSV, XLSX or JSON file"
              >
                <Upload /> <span className="wide-only">From file</span>
              </Link>
            )}
          </>
        }
        empty="Example: a table Devices with name, serial number and owner. Create a table, or paste one from a spreadsheet."
      >
        <div className="tables-list scroll">
          <ul className="table-cards">
            {tables.map((table) => (
              <TableLine key={table.id} table={table} />
            ))}
          </ul>
        </div>
      </ListPage>
      {isNew && (
        <CreateTable
          onClose={() => setNew(false)}
          onMade={(slug) => void navigate({ to: "/tables/$slug", params: { slug } })}
        />
      )}
    </>
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
        <span>{records ? count(records.count, "record") : mayRead ? "…" : "No access"}</span>
        <span className="table-card-time">
          <Ago at={typeof last === "string" ? last : updatedAt} />
        </span>
        <span className="muted cut table-card-by">{nameOf(createdBy) ?? ""}</span>
      </Link>
    </li>
  );
}
