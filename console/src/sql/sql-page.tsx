/** The SQL screen: write and run a query, view rows, chart or plan, and save it for others. */
import "./sql.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { QueryScreen } from "./query-screen.tsx";
import { readDraft } from "./memory.ts";

const NEW_SQL = "select 1 as one";

export function SqlPage() {
  const search = useSearch({ from: "/inside/sql" });
  const navigate = useNavigate();
  const { data, error, refetch } = useOp("queries.list", { query: { limit: 200 } });
  const schema = useOp("queries.schema").data?.data;
  const saved = data?.data.find(({ id }) => id === search.query);
  useTitle(saved?.name ?? "SQL");
  if (error && !data) {
    return (
      <div className="page paper">
        <ErrorNotice error={error} retry={() => void refetch()} />
      </div>
    );
  }
  if (!data) {
    return (
      <div className="page paper">
        <Loading />
      </div>
    );
  }
  return (
    <QueryScreen
      key={`${search.query ?? ""} ${search.sql ?? ""}`}
      queries={data.data}
      saved={saved}
      schema={schema}
      first={saved?.sql ?? search.sql ?? (readDraft() || NEW_SQL)}
      onOpen={(query) => void navigate({ to: "/sql", search: { query } })}
    />
  );
}
