import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useOp } from "../data/api.ts";
import { Section } from "../ui/display/section.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { toWords } from "../ui/words.ts";
import { LOG_LEVELS, type LogLevel } from "./search.ts";
import { Button } from "../ui/form/button.tsx";
import { Select, TextInput } from "../ui/form/controls.tsx";

const FOLLOW_MS = 2_000;
const LINES = 500;

/** The last log lines of this server process; updated until paused. */
export function Log() {
  const navigate = useNavigate();
  const search = useSearch({ from: "/inside/settings/operation" });
  const level = search.level ?? "info";
  const [isPaused, setPaused] = useState(false);
  const [text, setText] = useState("");
  const { data, error, isPending, refetch } = useOp(
    "installation.read_log",
    { query: { level, limit: LINES } },
    { refetchInterval: isPaused ? false : FOLLOW_MS },
  );
  const sought = text.trim().toLowerCase();
  const lines = (data?.data.lines ?? []).filter(
    ({ message, fields }) =>
      sought === "" || `${message} ${JSON.stringify(fields)}`.toLowerCase().includes(sought),
  );
  const end = useRef<HTMLDivElement>(null);
  const last = lines.at(-1)?.position;
  useEffect(() => {
    if (!isPaused) end.current?.scrollIntoView({ block: "nearest" });
  }, [last, isPaused]);
  return (
    <Section
      title="Log"
      about="Last 1,000 log lines of the server process that handles this request. Secrets are removed."
      act={
        <div className="operation-log-bar">
          <TextInput
            className="operation-search"
            type="search"
            aria-label="Search the log"
            placeholder="Search…"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Select
            aria-label="Level"
            value={level}
            onChange={({ target }) =>
              void navigate({
                to: "/settings/operation",
                search: { ...search, level: target.value as LogLevel },
                replace: true,
              })
            }
          >
            {LOG_LEVELS.map((one) => (
              <option key={one} value={one}>
                {toWords(one)} and above
              </option>
            ))}
          </Select>
          <Button onClick={() => setPaused(!isPaused)}>{isPaused ? "Follow" : "Pause"}</Button>
        </div>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={12} />}
      {data && lines.length === 0 && <Empty title="No matching lines" />}
      {lines.length > 0 && (
        <div className="operation-log scroll" role="log" aria-label="Lines" tabIndex={0}>
          {lines.map(({ position, at, level: own, message, fields }) => (
            <div key={position} className={`log-line ${own}`}>
              <time>{at === null ? "" : new Date(at).toLocaleTimeString("en-GB")}</time>
              <span className="log-level">{own}</span>
              <span className="log-words">
                {message} <span className="muted">{toFields(fields)}</span>
              </span>
            </div>
          ))}
          <div ref={end} />
        </div>
      )}
    </Section>
  );
}

function toFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
