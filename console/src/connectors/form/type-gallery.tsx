import { Link } from "@tanstack/react-router";
import { useOp } from "../../data/api.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { drawType } from "../connector-type.ts";

/** The generic connector types. */
export function TypeGallery() {
  const { data, error, isPending, refetch } = useOp("connectors.types", { query: { limit: 200 } });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={4} />;
  return (
    <ul className="con-gallery">
      {data.data
        .filter(({ type }) => type !== "preset")
        .map(({ type, summary, actions, documented }) => {
          const { label, icon: Icon } = drawType(type);
          return (
            <li key={type}>
              <Link to="/connectors/new" search={{ type }} className="con-card">
                <span className="con-icon">
                  <Icon className="ico" />
                </span>
                <strong>{label}</strong>
                <span className="muted">{summary}</span>
                <span className="muted con-actions">
                  {documented
                    ? "Actions from an OpenAPI document"
                    : count(actions.length, "action")}
                </span>
              </Link>
            </li>
          );
        })}
    </ul>
  );
}
