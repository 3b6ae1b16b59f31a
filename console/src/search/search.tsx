import "./search.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { pathOf } from "../data/resource-path.ts";
import { useTitle } from "../shell/title.ts";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { toStateWords, toWords } from "../ui/words.ts";
import { Select, TextInput } from "../ui/form/controls.tsx";

type Hit = Schemas["SearchHit"];

const PAUSE_MS = 150;
const HITS_MAX = 50;
const TEXT_MAX = 200;

/** All search results by type; the palette shows the best ones. */
export function SearchScreen() {
  useTitle("Search");
  const { q = "", kind } = useSearch({ from: "/inside/search" });
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const late = useDebounced(text.trim(), PAUSE_MS);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (late !== q) void navigate({ to: "/search", search: { q: late, kind }, replace: true });
    // Runs only after typing has stopped, because the address can also change otherwise.
  }, [late]);
  const query = { q: q.slice(0, TEXT_MAX), limit: HITS_MAX, ...(kind && { kinds: kind }) };
  const { data, error, isFetching, refetch } = useOp(
    "search.find",
    { query },
    { enabled: q !== "" },
  );
  const hits = data?.data.hits ?? [];
  return (
    <div className="page paper">
      <header className="page-head search-head">
        <h1>Search</h1>
        <TextInput
          className="grow"
          type="search"
          aria-label="Search text"
          placeholder="Search by name, number, id or text"
          autoFocus
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <KindChoice kinds={data?.data.kinds ?? []} kind={kind} q={q} />
      </header>
      <div className="scroll search-list">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {q === "" && <Empty title="Enter a search text" />}
        {q !== "" && isFetching && hits.length === 0 && <Loading />}
        {q !== "" && !isFetching && !error && hits.length === 0 && (
          <Empty title="No results">
            Results contain all words of the search text. Try fewer words.
          </Empty>
        )}
        <ul aria-label="Results">
          {hits.map((hit) => (
            <HitLine key={`${hit.kind} ${hit.id}`} hit={hit} />
          ))}
        </ul>
        {hits.length === HITS_MAX && (
          <p className="muted search-more">
            The best {HITS_MAX} results. Enter more words to narrow the search.
          </p>
        )}
      </div>
    </div>
  );
}

function KindChoice(props: {
  readonly kinds: readonly string[];
  readonly kind: string | undefined;
  readonly q: string;
}) {
  const navigate = useNavigate();
  const choose = (kind: string): void =>
    void navigate({
      to: "/search",
      search: { q: props.q, kind: kind || undefined },
      replace: true,
    });
  return (
    <Select
      aria-label="Type"
      value={props.kind ?? ""}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">All types</option>
      {props.kinds.map((kind) => (
        <option key={kind} value={kind}>
          {toWords(kind)}
        </option>
      ))}
    </Select>
  );
}

function HitLine({ hit: { kind, id, title, ref, detail, table } }: { readonly hit: Hit }) {
  const path = pathOf(kind, id, table ?? ref);
  const words = (
    <>
      <span className="cut search-title">{title}</span>
      <span className="muted cut">{[ref, toStateWords(detail)].filter(Boolean).join(" · ")}</span>
      <span className="muted search-kind">{toWords(kind)}</span>
    </>
  );
  return (
    <li>
      {path === undefined ? (
        <span className="search-hit">{words}</span>
      ) : (
        <Link to={path} className="search-hit">
          {words}
        </Link>
      )}
    </li>
  );
}
