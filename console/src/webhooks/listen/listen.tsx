import "../webhooks.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Radio, Trash2 } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { BodyText, HeaderList } from "../message.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { Select } from "../../ui/form/controls.tsx";

type Endpoint = Schemas["ListedTestEndpoint"];
type Received = Schemas["TestEndpointRequest"];

/** Received requests are not in the event log, so they are polled. */
const LOOK_MS = 1_000;
const ANSWERS = [200, 202, 400, 410, 429, 500, 503];

/** Test endpoints that show received requests live. */
export function Listen() {
  useTitle("Test endpoints");
  const { open } = useSearch({ from: "/inside/webhooks/listen" });
  const navigate = useNavigate();
  const may = useMay();
  const mayWrite = may("test_endpoints.list");
  const { data, error, isPending, refetch } = useOp("test_endpoints.list", undefined, {
    enabled: mayWrite,
  });
  const show = (id: string | undefined): void =>
    void navigate({ to: "/webhooks/listen", search: { open: id }, replace: true });
  const create = useCommand("test_endpoints.create", { onDone: (made) => show(made.data.id) });
  const make = (): void => void create.run({ body: {} });
  useActions([{ keys: "n", label: "New test endpoint", run: make, disabled: create.refusal }]);
  const endpoints = data?.data ?? [];
  const chosen = endpoints.find(({ id }) => id === open) ?? endpoints[0];
  return (
    <div className="page paper">
      <header className="page-head">
        <h1 className="grow">Test endpoints</h1>
        <CommandButton command={create} isMain keys="n" onPress={make}>
          <Plus /> New test endpoint
        </CommandButton>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && mayWrite && <Loading rows={6} />}
      {!mayWrite && <Empty title="You don't have permission to use test endpoints" />}
      {data && !chosen && (
        <Empty title="No test endpoints yet">
          A test endpoint is a temporary URL that shows received requests here. Use it to test a
          webhook before the receiver is ready. It expires after one day.
        </Empty>
      )}
      {chosen && (
        <div className="listen-body">
          <nav className="listen-list scroll" aria-label="Test endpoints">
            {endpoints.map(({ id, name, received, expiresAt }) => (
              <PlainButton
                key={id}
                className="listen-entry"
                aria-current={id === chosen.id || undefined}
                onClick={() => show(id)}
              >
                <span className="cut">{name}</span>
                <span className="muted">
                  {count(received, "request")} · expires <Ago at={expiresAt} />
                </span>
              </PlainButton>
            ))}
          </nav>
          <EndpointPanel key={chosen.id} endpoint={chosen} />
        </div>
      )}
    </div>
  );
}

function EndpointPanel({ endpoint }: { readonly endpoint: Endpoint }) {
  const { id, name, url, answerStatus } = endpoint;
  const [open, setOpen] = useState<number>();
  const [isEnding, setEnding] = useState(false);
  const { data, error } = useOp(
    "test_endpoints.list_requests",
    { params: { id }, query: { limit: 100 } },
    { refetchInterval: LOOK_MS },
  );
  const requests = data?.data ?? [];
  const shown = requests.find(({ number }) => number === open) ?? requests[0];
  const update = useCommand("test_endpoints.update", {
    said: ({ data: changed }) => `The endpoint now responds with ${changed.answerStatus}.`,
  });
  const remove = useCommand("test_endpoints.delete");
  return (
    <div className="listen-panel">
      <div className="listen-head">
        <CopyLine label="URL" text={url} />
        <div className="row listen-acts">
          <label className="row">
            Answers
            <Select
              value={answerStatus}
              disabled={update.refusal !== undefined}
              onChange={({ target }) => {
                const body = { answerStatus: Number(target.value) };
                void update.run({ params: { id }, body });
              }}
            >
              {[...new Set([...ANSWERS, answerStatus])].map((status) => (
                <option key={status}>{status}</option>
              ))}
            </Select>
          </label>
          <Link to="/webhooks/new" search={{ url }} className="btn">
            New webhook for this URL
          </Link>
          <span className="grow" />
          <CommandButton
            command={remove}
            aria-label={`Delete ${name}`}
            onPress={() => setEnding(true)}
          >
            <Trash2 /> Delete
          </CommandButton>
        </div>
      </div>
      {error && <ErrorNotice error={error} />}
      {data && requests.length === 0 && (
        <Empty title="Waiting for requests">
          <Radio className="ico listen-live" /> No requests received yet. Send one:
          <code className="listen-try">{`curl -d '{"hello":"there"}' ${url}`}</code>
        </Empty>
      )}
      {requests.length > 0 && (
        <div className="listen-requests">
          <ol className="scroll listen-rows" aria-label="Requests" aria-live="polite">
            {requests.map((request) => (
              <li key={request.number}>
                <PlainButton
                  className="listen-row"
                  aria-current={request.number === shown?.number || undefined}
                  onClick={() => setOpen(request.number)}
                >
                  <span className="muted">
                    #{request.number} {request.method}
                  </span>
                  <span className="cut mono grow">{titleOf(request)}</span>
                  <span className={request.answered < 300 ? "tag plain ok" : "tag plain bad"}>
                    {request.answered}
                  </span>
                  <Ago at={request.receivedAt} />
                </PlainButton>
              </li>
            ))}
          </ol>
          {shown && <RequestView request={shown} />}
        </div>
      )}
      {isEnding && (
        <Confirm
          title={`Delete ${name}`}
          act="Delete"
          onAct={() => {
            setEnding(false);
            void remove.run({ params: { id } });
          }}
          onClose={() => setEnding(false)}
        >
          The URL then responds with 404, and the received requests are deleted. This can't be
          undone.
        </Confirm>
      )}
    </div>
  );
}

function RequestView({ request }: { readonly request: Received }) {
  const query = Object.entries(request.query);
  return (
    <section className="listen-request scroll" aria-label={`Request ${request.number}`}>
      <h2>
        Request {request.number}{" "}
        <span className="muted">
          {request.method}, {request.bytes} bytes
        </span>
      </h2>
      {query.length > 0 && (
        <>
          <h3>Query</h3>
          <HeaderList headers={request.query} />
        </>
      )}
      <h3>Body</h3>
      {request.body === "" ? (
        <p className="muted">Empty.</p>
      ) : (
        <BodyText text={request.body} label="Body" />
      )}
      <h3>Headers</h3>
      <HeaderList headers={request.headers} />
    </section>
  );
}

/** Returns the delivery's event type, or the beginning of an unknown body. */
function titleOf({ headers, body }: Received): string {
  return headers["x-service-event"] ?? (body.slice(0, 80) || "(empty)");
}
