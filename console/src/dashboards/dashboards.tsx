/** All dashboards, and an action to create one. */
import "./dashboards.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { LayoutDashboard } from "lucide-react";
import { useState } from "react";
import { useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useCommand } from "../data/use-command.ts";
import { findNamed } from "../shell/list/name-search.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";

export function Dashboards() {
  const nameOf = useNames();
  const navigate = useNavigate();
  const read = useOp("dashboards.list", { query: { limit: 200 } });
  const [words, setWords] = useState("");
  const make = useCommand("dashboards.create", {
    onDone: ({ data: { id } }) =>
      void navigate({ to: "/dashboards/$id", params: { id }, search: { edit: true } }),
  });
  const { refusal } = make;
  const create = (): void => {
    const taken = new Set(read.data?.data.map(({ name }) => name));
    const names = [
      "New dashboard",
      ...Array.from({ length: 50 }, (_, n) => `New dashboard ${n + 2}`),
    ];
    const name = names.find((one) => !taken.has(one)) ?? `Dashboard ${Date.now()}`;
    void make.run({ body: { name } });
  };
  const shown = findNamed(read.data?.data, words) ?? [];
  return (
    <ListPage
      title="Dashboards"
      about="Numbers and charts that you check regularly. Select a value to see its records."
      thing="dashboard"
      read={read}
      shown={shown.length}
      find={{ value: words, onChange: setWords, by: "names and descriptions" }}
      create={{ label: "New dashboard", run: create, refusal }}
      empty="Example: open tickets by team, share of met SLA targets, and failed runs of today."
    >
      <div className="dash-list scroll">
        <ul className="dash-cards">
          {shown.map(({ id, name, description, widgets, createdBy, updatedAt }) => (
            <li key={id}>
              <Link to="/dashboards/$id" params={{ id }} className="dash-card">
                <LayoutDashboard className="ico" />
                <span className="grow">
                  <b className="cut">{name}</b>
                  {description !== "" && <span className="muted cut">{description}</span>}
                </span>
                <span className="muted wide-only">{nameOf(createdBy)}</span>
                <span className="muted">{count(widgets.length, "tile")}</span>
                <span className="muted wide-only">
                  <Ago at={updatedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </ListPage>
  );
}
