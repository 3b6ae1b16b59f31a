import { Link } from "@tanstack/react-router";
import { ChartColumn, Settings2 } from "lucide-react";
import type { ReactNode } from "react";
import type { View } from "./views.ts";
import type { Views } from "./use-views.ts";
import { PlainButton } from "../../ui/form/button.tsx";

interface ViewListProps {
  readonly views: Views;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly menuOf: (view: View) => ReactNode;
}

/** The left pane: the views with their counts, and in red the number of tickets due within one hour. */
export function ViewList({ views, chosen, onChoose, menuOf }: ViewListProps) {
  const line = (view: View) => (
    <ViewLine
      key={view.id}
      view={view}
      views={views}
      isChosen={view.id === chosen}
      onChoose={onChoose}
      menu={menuOf(view)}
    />
  );
  return (
    <nav className="views scroll" aria-label="Views">
      <ul>{views.builtIn.map(line)}</ul>
      {views.teams.length > 0 && (
        <>
          <h2>Teams</h2>
          <ul>{views.teams.map(line)}</ul>
        </>
      )}
      {views.saved.length > 0 && (
        <>
          <h2>Views</h2>
          <ul>{views.saved.map(line)}</ul>
        </>
      )}
      <p className="views-foot">
        <Link to="/desk/reports" className="view-line">
          <ChartColumn className="ico" aria-hidden="true" />
          Reports
        </Link>
        <Link to="/settings/desk" className="view-line">
          <Settings2 className="ico" aria-hidden="true" />
          Settings
        </Link>
      </p>
    </nav>
  );
}

function ViewLine(props: {
  readonly view: View;
  readonly views: Views;
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
  readonly menu: ReactNode;
}) {
  const { view, views, isChosen } = props;
  const counts = views.counts.get(view.id);
  const Icon = view.icon;
  return (
    <li className="view-item">
      <PlainButton
        className="view-line"
        aria-current={isChosen ? "page" : undefined}
        onClick={() => props.onChoose(view.id)}
      >
        <Icon className="ico" aria-hidden="true" />
        <span className="grow cut">{view.label}</span>
        {counts && counts.urgent > 0 && counts.urgent < counts.total && (
          <span className="view-urgent" title="Due within one hour">
            {counts.urgent}
            <span className="hide"> due within one hour</span>
          </span>
        )}
        {counts && counts.total > 0 && <span className="view-count">{counts.total}</span>}
      </PlainButton>
      {props.menu}
    </li>
  );
}
