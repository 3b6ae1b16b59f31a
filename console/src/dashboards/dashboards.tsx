/** All dashboards, and the way to a new one. */
import "./dashboards.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { LayoutDashboard } from "lucide-react";
import { useState } from "react";
import { useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useCommand } from "../data/use-command.ts";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { findNamed, ListHead, MakeButton } from "../ui/list-head.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";

export function Dashboards() {
  useTitle("Dashboards");
  const nameOf = useNames();
  const navigate = useNavigate();
  const { data, error, refetch } = useOp("dashboards.list", { query: { limit: 200 } });
  const [words, setWords] = useState("");
  const make = useCommand("dashboards.create", {
    onDone: ({ data: { id } }) =>
      void navigate({ to: "/dashboards/$id", params: { id }, search: { edit: true } }),
  });
  const { refusal } = make;
  const create = (): void => {
    const taken = new Set(data?.data.map(({ name }) => name));
    const names = [
      "New dashboard",
      ...Array.from({ length: 50 }, (_, n) => `New dashboard ${n + 2}`),
    ];
    const name = names.find((one) => !taken.has(one)) ?? `Dashboard ${Date.now()}`;
    void make.run({ body: { name } });
  };
  useActions([{ keys: "n", label: "New dashboard", run: create, disabled: refusal }]);
  const shown = findNamed(data?.data, words);
  const button = (
    <MakeButton refusal={refusal} onMake={create}>
      Dashboard
    </MakeButton>
  );
  return (
    <div className="page">
      <ListHead title="Dashboards" thing="a dashboard" words={words} onFind={setWords}>
        {button}
      </ListHead>
      <div className="dash-list scroll">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {shown?.length === 0 && words === "" && (
          <Empty title="No dashboards yet" action={button}>
            A dashboard shows the numbers that you look at every day. Each of them leads to its
            rows.
          </Empty>
        )}
        {shown?.length === 0 && words !== "" && <Empty title="No dashboard is called that" />}
        <ul className="dash-cards">
          {shown?.map(({ id, name, description, widgets, createdBy, updatedAt }) => (
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
    </div>
  );
}
