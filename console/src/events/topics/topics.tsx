import "../events.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Bot, Send, Webhook, Workflow } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { EventsHead } from "../events-head.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Topic = Schemas["Topic"];
type Follower = Schemas["EventFollower"];

const TOPICS_MAX = 200;
const MAY_NOT = "You don't have permission to publish messages.";

/** The topics of the log: their volume, consumers and lag. */
export function Topics() {
  useTitle("Topics");
  const { topic: chosen } = useSearch({ from: "/inside/events/topics" });
  const navigate = useNavigate();
  const mayPublish = useMay()("topics.publish");
  const [isPublishing, setIsPublishing] = useState(false);
  const { data, error, refetch } = useOp("topics.list", { query: { limit: TOPICS_MAX } });
  const topics = data?.data ?? [];
  const choose = (topic: string | undefined): void =>
    void navigate({ to: "/events/topics", search: { topic }, replace: true });
  useListKeys({ ids: topics.map(({ name }) => name), chosen, onChoose: choose });
  const publish = { label: "Publish message", run: () => setIsPublishing(true) };
  const disabled = mayPublish ? undefined : MAY_NOT;
  useActions([{ ...publish, keys: "c", disabled }]);
  const open = topics.find(({ name }) => name === chosen);
  return (
    <div className="page paper">
      <EventsHead>
        <Button
          look="main"
          disabled={!mayPublish}
          title={mayPublish ? "Publish (c)" : MAY_NOT}
          onClick={publish.run}
        >
          <Send /> Publish
        </Button>
      </EventsHead>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading rows={10} />}
      {data && (
        <div className="events-body">
          <div className="events-list scroll" role="region" aria-label="Topics" tabIndex={0}>
            {topics.length === 0 && (
              <Empty title="No topics yet">The first published message creates a topic.</Empty>
            )}
            {topics.map((topic) => (
              <TopicRow
                key={topic.name}
                topic={topic}
                isChosen={topic.name === chosen}
                onOpen={() => choose(topic.name === chosen ? undefined : topic.name)}
              />
            ))}
            {data.pagination.hasMore && (
              <p className="events-foot muted">The first {count(TOPICS_MAX, "topic")} are shown.</p>
            )}
          </div>
          {open && <TopicSide key={open.name} topic={open} />}
        </div>
      )}
      {isPublishing && (
        <PublishDialog
          topic={open?.platform === true ? "" : (chosen ?? "")}
          topics={topics}
          onClose={() => setIsPublishing(false)}
        />
      )}
    </div>
  );
}

function TopicRow(props: {
  readonly topic: Topic;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}) {
  const { name, events, lastEventAt, platform } = props.topic;
  return (
    <PlainButton
      className="topic-row"
      aria-current={props.isChosen || undefined}
      onClick={props.onOpen}
    >
      <span className="mono cut">{name}</span>
      <span className="muted">{platform ? "Platform" : "Published"}</span>
      <span className="topic-count">{events.toLocaleString("en")}</span>
      <Ago at={lastEventAt} />
    </PlainButton>
  );
}

function TopicSide({ topic }: { readonly topic: Topic }) {
  const { data, error, refetch } = useOp(
    "topics.list_followers",
    { params: { name: topic.name } },
    { refetchInterval: 5_000 },
  );
  const followers = data?.data.followers ?? [];
  return (
    <aside className="events-side scroll" aria-label="Topic">
      <header className="row">
        <h2 className="grow mono">{topic.name}</h2>
      </header>
      <p className="row events-ways">
        <Link className="btn" to="/events" search={{ topic: topic.name }}>
          Show events
        </Link>
      </p>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading rows={6} />}
      {data && (
        <section>
          <h3>Consumers</h3>
          {followers.length === 0 && <p className="muted">No consumers.</p>}
          <ul className="followers">
            {followers.map((follower) => (
              <FollowerRow key={`${follower.kind} ${follower.id}`} follower={follower} />
            ))}
          </ul>
          <h3>Event types</h3>
          <ul className="topic-types">
            {data.data.types.map((type) => (
              <li key={type}>
                <Link className="mono" to="/events" search={{ topic: topic.name, type }}>
                  {type}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

const ICONS = { workflow: Workflow, webhook: Webhook } as const;

function FollowerRow({ follower }: { readonly follower: Follower }) {
  const { kind, id, name, hears, behind, status } = follower;
  const Icon = kind in ICONS ? ICONS[kind as keyof typeof ICONS] : Bot;
  return (
    <li>
      <Icon aria-hidden="true" />
      <span className="follower-text">
        {kind === "workflow" ? (
          <Link className="cut" to="/workflows/$id" params={{ id }}>
            {name}
          </Link>
        ) : (
          <span className={kind === "reader" ? "mono cut" : "cut"}>{name}</span>
        )}
        <span className="muted cut mono" title={hears.join(", ")}>
          {hears.join(", ")}
        </span>
      </span>
      {status !== "active" && <State state={status} />}
      {behind !== null && (
        <span className={behind > 0 ? "follower-behind is-late" : "follower-behind muted"}>
          {tellBehind(behind)}
        </span>
      )}
    </li>
  );
}

function tellBehind(behind: number): string {
  if (behind === 0) return "up to date";
  return behind >= 1_000 ? "1,000 or more behind" : `${behind} behind`;
}
