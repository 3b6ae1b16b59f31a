/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/**
 * The names available to n8n code, for scripts of imported workflows: `const { $json, $input, $ } = n8n(input, …)`.
 * The items of a node are the list in the output of its step; a node with several outputs has `{ o0, o1 }`.
 */
import { addMethods } from "./methods.js";
import { addAnswers } from "./answers.js";
import { addConditions } from "./conditions.js";
import { addFields } from "./fields.js";
import { addHelpers } from "./helpers.js";
import { addMarkup } from "./markup.js";
import { addSheets } from "./sheets.js";
import { addSql } from "./sql.js";
import { addStores } from "./stores.js";
import { addDocuments } from "./documents.js";

export function createN8n() {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const asList = (value) =>
    value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  // Files of an item are handles in `$binary`, next to its fields.
  const toItem = (value) => {
    // Older code returns lists as fields of an item.
    if (!isObject(value)) return { json: Array.isArray(value) ? value : { data: value } };
    if (!isObject(value.$binary)) return { json: value };
    const { $binary, ...json } = value;
    const files = Object.entries($binary).map(([name, file]) => [name, describeFile(file)]);
    return { json, binary: Object.fromEntries(files) };
  };
  const describeFile = (file) => ({
    fileName: file?.name,
    mimeType: file?.mediaType,
    fileExtension: /\.([^.]+)$/.exec(file?.name ?? "")?.[1],
    fileSize: file?.size,
    ...file,
  });
  const withFiles = (json, binary) =>
    isObject(json) && isObject(binary) && Object.keys(binary).length > 0
      ? { ...json, $binary: binary }
      : json;
  const { DateTime, jmespath, luxon } = globalThis;
  // Times of a machine in UTC are written with a Z, as in n8n.
  if (luxon && /^(?:Etc\/)?UTC$/.test(DateTime.now().zoneName)) luxon.Settings.defaultZone = "utc";
  function listOf(scope, step, output = 0) {
    if (step.startsWith("$batch")) return asList(scope.batch?.items);
    if (step === "$turn") return asList(scope.turn?.back);
    // For a tool, the item of its agent.
    if (step === "$item") return asList(scope.item ?? {});
    const value = step.startsWith("$trigger")
      ? triggerItems(scope, step.slice("$trigger:".length))
      : scope.steps?.[step]?.output;
    if (isObject(value) && Object.hasOwn(value, `o${output}`)) return asList(value[`o${output}`]);
    // A list is the first and only output.
    return output > 0 && !step.startsWith("$trigger") ? [] : asList(value);
  }
  // n8n stores uploaded files in the item files, by field name.
  function filesOf(fields) {
    const isFile = (value) => isObject(value) && typeof value.$file === "string";
    const found = Object.entries(isObject(fields) ? fields : {}).flatMap(([name, value]) => {
      const key = name.replaceAll(/[^A-Za-z0-9]+/g, "_");
      if (isFile(value)) return [[key, value]];
      return Array.isArray(value) && value.some(isFile)
        ? value.filter(isFile).map((file, at) => [`${key}_${at}`, file])
        : [];
    });
    return found.length === 0 ? {} : { $binary: Object.fromEntries(found) };
  }
  function triggerItems(scope, id) {
    const { trigger = {} } = scope;
    // Another trigger started the run.
    if (id !== "" && trigger.id !== id) return [];
    if (trigger.type === "webhook")
      return [
        {
          params: {},
          ...trigger.input,
          ...filesOf(trigger.input?.body),
        },
      ];
    if (trigger.type === "schedule")
      return [
        {
          timestamp: trigger.scheduledFor,
        },
      ];
    if (trigger.type === "event_bus") return [trigger.event];
    // Events from other systems arrive as requests, and n8n shows the body.
    if (trigger.type === "connector" && isObject(trigger.input?.headers) && trigger.input.query)
      return asList(trigger.input.body ?? {});
    if (trigger.type === "form")
      return [
        {
          ...trigger.input,
          ...filesOf(trigger.input),
          submittedAt: trigger.submittedAt,
          formMode: "production",
        },
      ];
    if (trigger.type === "chat")
      return [
        {
          action: "sendMessage",
          chatInput: trigger.input?.message,
          sessionId: trigger.input?.sessionId,
        },
      ];
    const { input } = trigger;
    return input === undefined || input === null
      ? [{}]
      : asList(input).map((one) =>
          isObject(one)
            ? one
            : {
                data: one,
              },
        );
  }
  function open(scope, { from = [], names = {}, workflow = "", once = false }, index = 0) {
    const items = from
      .flatMap(([step, output]) => listOf(scope, step, output))
      .map(toItem)
      .slice(0, once ? 1 : undefined);
    return viewAt(
      scope,
      {
        items,
        names,
        workflow,
      },
      index,
    );
  }
  function viewAt(scope, given, index) {
    const { items, names, workflow } = given;
    const itemsOfNode = (name, output = 0, run = 0) => {
      const step = names[name];
      if (run > 0) throw new ReferenceError(`There is no run ${run} of ${name}.`);
      if (step === undefined) throw new ReferenceError(`There is no node ${name} before this one.`);
      return listOf(scope, step, output).map(toItem);
    };
    const node = (name) => {
      const all = itemsOfNode(name);
      // In a loop, a list with the same number of items as the loop is in the same order.
      const { from = 0, of } = scope.batch ?? {};
      const paired = all.length === 1 ? all[0] : all[all.length === of ? from + index : index];
      return {
        item: paired,
        json: paired?.json,
        binary: paired?.binary,
        all: (output = 0) => itemsOfNode(name, output),
        first: (output = 0) => itemsOfNode(name, output)[0],
        last: (output = 0) => itemsOfNode(name, output).at(-1),
        itemMatching: (at) => (all.length === 1 ? all[0] : all[at]),
        isExecuted: scope.steps?.[names[name]] !== undefined,
        params: {},
        context: contextOf(names[name]),
      };
    };
    // For the surrounding loop: whether this is its last iteration.
    const contextOf = (step) => {
      const [, loop] = /^\$batch:(.*)$/.exec(step ?? "") ?? [];
      const turns = scope.steps?.[`${loop}_batches`]?.output?.length ?? 0;
      const turn = scope.index ?? 0;
      return loop === undefined ? {} : { currentRunIndex: turn, noItemsLeft: turn >= turns - 1 };
    };
    const now = DateTime.now();
    const addresses = Object.values(scope.run?.resumeUrls ?? {});
    return {
      items,
      $json: items[index]?.json ?? {},
      $binary: items[index]?.binary ?? {},
      // The item in the form of step outputs.
      $item: withFiles(items[index]?.json ?? {}, items[index]?.binary),
      $itemIndex: index,
      $runIndex: scope.index ?? 0,
      $input: {
        item: items[index],
        all: () => items,
        first: () => items[0],
        last: () => items.at(-1),
        params: {},
        context: {},
      },
      $: node,
      $items: (name, output = 0, run = 0) =>
        name === undefined ? items : itemsOfNode(name, output, run),
      $node: new Proxy(
        {},
        {
          get: (_, name) => node(String(name)),
        },
      ),
      $fromAI: (name, _description, _type, otherwise) =>
        scope.arguments?.[String(name).trim().replaceAll(/\W+/g, "_")] ?? otherwise,
      $now: now,
      $today: now.startOf("day"),
      $jmespath: jmespath,
      $execution: {
        id: scope.run?.id,
        mode: "production",
        resumeUrl: addresses.find((url) => !url.endsWith("/form")) ?? addresses[0],
        resumeFormUrl: addresses.find((url) => url.endsWith("/form")),
      },
      $workflow: {
        id: scope.run?.workflowId,
        name: workflow,
        active: true,
      },
      $prevNode: {
        name: "",
        outputIndex: 0,
        runIndex: 0,
      },
      $if: (condition, yes, no) => (condition ? yes : no),
      $ifEmpty: (value, otherwise) => (isEmpty(value) ? otherwise : value),
      $max: (...numbers) => Math.max(...numbers),
      $min: (...numbers) => Math.min(...numbers),
      value: (compute) => {
        try {
          return plain(compute());
        } catch (error) {
          if (error instanceof TypeError) return undefined;
          throw error;
        }
      },
    };
  }
  function isEmpty(value) {
    if (value === undefined || value === null || value === "") return true;
    if (Array.isArray(value)) return value.length === 0;
    return typeof value === "object" && Object.keys(value).length === 0;
  }
  function plain(value) {
    if (value instanceof DateTime) return value.toISO();
    if (value instanceof Date) return value.toISOString();
    return value;
  }
  function text(value) {
    const known = plain(value);
    if (known === undefined || known === null) return "";
    return typeof known === "object" ? JSON.stringify(known) : String(known);
  }
  const n8n = (scope, options = {}) => open(scope, options);
  n8n.each = (scope, options, work) => {
    const { items, ...rest } = open(scope, options);
    const given = {
      items,
      names: options.names ?? {},
      workflow: options.workflow ?? "",
    };
    return items.map((_, index) =>
      work({
        ...rest,
        ...viewAt(scope, given, index),
      }),
    );
  };
  n8n.toList = (result) =>
    asList(result).map((one) =>
      isObject(one) && typeof one.json === "object" && one.json !== null
        ? withFiles(one.json, one.binary)
        : isObject(one)
          ? one
          : {
              data: one,
            },
    );
  n8n.text = text;
  // The items of some steps, unchanged.
  n8n.items = (scope, from) => from.flatMap(([step, output]) => listOf(scope, step, output));
  n8n.withFiles = withFiles;
  const mergeDeep = (one, other) =>
    isObject(one) && isObject(other)
      ? Object.entries(other).reduce(
          (made, [name, value]) => ({ ...made, [name]: mergeDeep(made[name], value) }),
          one,
        )
      : other === undefined
        ? one
        : other;
  n8n.byPosition = (lists, { longest }) => {
    const counts = lists.map((list) => list.length);
    const length = longest ? Math.max(0, ...counts) : Math.min(...counts);
    return Array.from({ length }, (_, at) => lists.map((list) => list[at]).reduce(mergeDeep, {}));
  };
  // A value, or undefined if it is empty, because empty fields are not sent.
  n8n.given = (value) => (value === "" || value === null ? undefined : value);
  // Encodes the invalid characters of a URL.
  n8n.url = (value) =>
    text(value)
      .trim()
      .replaceAll(/[^\x21-\x7e]+|["<>\\^`{|}]/g, encodeURIComponent);
  // Headers set by the node. The connection sets the others.
  n8n.headers = (value) =>
    Object.fromEntries(
      Object.entries(value)
        .filter(
          ([name]) =>
            !/^(?:connection|host|content-length|transfer-encoding|keep-alive|upgrade|te|trailer|proxy-.*)$/i.test(
              name,
            ),
        )
        .map(([name, one]) => [name, text(one)]),
    );
  // A request as n8n sends it: the content type decides if body fields become a form.
  n8n.request = (request) => {
    const type = Object.entries(request.headers).find(([name]) =>
      /^content-type$/i.test(name),
    )?.[1];
    const isForm =
      /^application\/x-www-form-urlencoded/i.test(type ?? "") && isObject(request.body);
    if (!isForm || Object.keys(request.body).length === 0) return request;
    return { ...request, body: new URLSearchParams(Object.entries(request.body)).toString() };
  };
  // "Always output data": an empty output becomes an empty item, unless the node had no input.
  n8n.always = (made, scope, from) => {
    const given = from.flatMap(([step, output]) => listOf(scope, step, output));
    const isNothing =
      isObject(made) && Array.isArray(made.o0)
        ? Object.values(made).every((list) => !Array.isArray(list) || list.length === 0)
        : Array.isArray(made) && made.length === 0;
    if (given.length === 0 || !isNothing) return made;
    return Array.isArray(made) ? [{}] : { ...made, o0: [{}] };
  };
  const STATUS_TEXTS = {
    200: "OK",
    201: "Created",
    202: "Accepted",
    204: "No Content",
    301: "Moved Permanently",
    302: "Found",
    304: "Not Modified",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    409: "Conflict",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
  };
  n8n.fullAnswer = ({ body, headers, status }, name = "body") => ({
    [name]: body,
    headers,
    statusCode: status,
    statusMessage: STATUS_TEXTS[status] ?? "",
  });
  n8n.list = (value) =>
    (Array.isArray(value) ? value : text(value).split(","))
      .map((one) => (typeof one === "string" ? one.trim() : one))
      .filter((one) => one !== "" && one !== undefined && one !== null);
  n8n.number = (value) => (n8n.given(value) === undefined ? undefined : Number(value));
  n8n.json = (value) => (typeof value === "string" ? JSON.parse(value) : value);
  // The id in a document URL.
  n8n.idOf = (value) => {
    const known = text(value);
    return /\/(?:d|folders|files)\/([\w-]{10,})/.exec(known)?.[1] ?? known;
  };
  // The items of a response that can be a file.
  n8n.answer = (body, name = "data") =>
    isObject(body) && typeof body.$file === "string"
      ? [{ $binary: { [name]: body } }]
      : n8n.toList(body);
  n8n.file = (item, name) => {
    const known = text(name) || "data";
    const file = item?.$binary?.[known] ?? item?.binary?.[known];
    if (file === undefined) throw new Error(`The item has no file ${known}.`);
    return { $file: file.$file, name: file.name, mediaType: file.mediaType, size: file.size };
  };
  n8n.splitOut = (one, { fields, include, others = [], names = [] }) => {
    const membersOf = (field) => {
      const value = n8n.get(one, field);
      if (value === undefined) return [];
      if (Array.isArray(value)) return value;
      return typeof value === "object" && value !== null ? Object.values(value) : [value];
    };
    const lists = fields.map(membersOf);
    const rest =
      include === "allOtherFields"
        ? fields.reduce((left, field) => n8n.unset(left, field), one)
        : Object.fromEntries(others.map((name) => [name, n8n.get(one, name)]));
    const nameOf = (at) => names[at] ?? fields[at];
    return Array.from({ length: Math.max(0, ...lists.map((list) => list.length)) }, (_, row) => {
      const [member] = lists.length === 1 ? [lists[0][row]] : [];
      const isWhole = lists.length === 1 && include === "noOtherFields" && names.length === 0;
      if (isWhole && isObject(member)) return member;
      return {
        ...rest,
        ...Object.fromEntries(lists.map((list, at) => [nameOf(at), list[row]])),
      };
    });
  };
  n8n.date = (value) => {
    if (value instanceof DateTime) return value;
    if (typeof value === "number") return DateTime.fromMillis(value);
    const iso = DateTime.fromISO(text(value), { setZone: true });
    return iso.isValid ? iso : DateTime.fromJSDate(new Date(text(value)));
  };
  addMethods(n8n, isEmpty);
  addConditions(n8n, { plain, isEmpty, isObject });
  addFields(n8n, { isObject, withFiles });
  addSheets(n8n);
  addSql(n8n);
  addStores(n8n);
  addDocuments(n8n);
  addAnswers(n8n);
  addHelpers(n8n);
  addMarkup(n8n);
  return n8n;
}
