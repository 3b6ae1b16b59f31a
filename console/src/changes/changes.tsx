import "./changes.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarDays, CalendarX2, List, Plus, Vote } from "lucide-react";
import { useState } from "react";
import { useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { Keys } from "../ui/key.tsx";
import { Calendar } from "./calendar/calendar.tsx";
import { ChangeForm } from "./form/change-form.tsx";
import { ChangeList } from "./list.tsx";
import { NEW_FREEZE } from "./search.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

/** Planned changes and change freezes, as a calendar or as a list. */
export function Changes() {
  const search = useSearch({ from: "/inside/changes" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [isNew, setNew] = useState(false);
  const isList = search.view === "list";
  const whyNotNew = refusalOf("changes.create");
  const show = (view: "list" | undefined): void =>
    void navigate({ to: "/changes", search: { view, open: search.open }, replace: true });
  const whyNoFreeze = refusalOf("changes.approve");
  const freeze = (): void =>
    void navigate({ to: "/changes", search: { from: search.from, freeze: NEW_FREEZE } });
  useActions([
    {
      keys: "f",
      label: "New change freeze",
      also: "blackout window",
      run: freeze,
      disabled: whyNoFreeze,
    },
    { keys: "c", label: "New change", run: () => setNew(true), disabled: whyNotNew },
    {
      keys: "l",
      label: isList ? "Show calendar" : "Show list",
      run: () => show(isList ? undefined : "list"),
    },
    {
      keys: "b",
      label: "Open change board",
      run: () => void navigate({ to: "/changes/board", search: {} }),
    },
  ]);
  return (
    <div className="page">
      <header className="page-head changes-head">
        <h1>Changes</h1>
        <div className="tabs" role="group" aria-label="View">
          <PlainButton aria-pressed={!isList} onClick={() => show(undefined)}>
            <CalendarDays className="ico" /> <span className="changes-word">Calendar</span>
          </PlainButton>
          <PlainButton aria-pressed={isList} onClick={() => show("list")}>
            <List className="ico" /> <span className="changes-word">List</span>
          </PlainButton>
        </div>
        <span className="grow" />
        <Link className="btn" to="/changes/board" search={{}} aria-keyshortcuts="b">
          <Vote /> Board
        </Link>
        <Button
          refusal={whyNoFreeze}
          aria-label="New change freeze"
          aria-keyshortcuts="f"
          onClick={freeze}
        >
          <CalendarX2 /> <span className="changes-word">New change freeze</span>
        </Button>
        <Button look="main" refusal={whyNotNew} aria-keyshortcuts="c" onClick={() => setNew(true)}>
          <Plus /> <span className="changes-word">New change</span>
          <Keys keys="c" />
        </Button>
      </header>
      {isList ? <ChangeList /> : <Calendar />}
      {isNew && <ChangeForm onClose={() => setNew(false)} />}
    </div>
  );
}
