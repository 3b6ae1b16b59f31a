/** The workflow definitions of the shop. */

const edge = (from: string, to: string, when?: string) => ({
  from,
  to,
  ...(when !== undefined && { when }),
});
const node = (id: string, name: string, type: string, config: object) => ({
  id,
  name,
  type,
  config,
});
const call = (id: string, name: string, connectorId: string, input: object) =>
  node(id, name, "connector", { connectorId, action: "request", input });

export function fulfilOrder(carriers: string): object {
  const label = (id: string, name: string) =>
    call(id, name, carriers, {
      method: "POST",
      path: "/labels",
      body: { order: "{{ steps.read.output.number }}" },
    });
  return {
    name: "Fulfil an order",
    trigger: { type: "manual" },
    nodes: [
      node("read", "Read the order", "set", {
        values: {
          number: "{{ trigger.input.number }}",
          total: "{{ trigger.input.total }}",
          country: "{{ trigger.input.country }}",
        },
      }),
      node("customer", "Find the customer", "records", {
        operation: "list",
        table: "customers",
        filter: { name: "{{ trigger.input.customer }}" },
      }),
      node("score", "Risk score", "transform", {
        expression: "steps.read.output.total > 1000 ? 80 : $round(steps.read.output.total / 20)",
      }),
      node("risky", "Is it risky?", "condition", { expression: "steps.score.output > 60" }),
      node("review", "Fraud review", "approval", {
        approvers: ["owner"],
        message:
          'Order {{ steps.read.output.number }} of {{ trigger.input.customer }} for {{ $formatNumber(steps.read.output.total, "#,##0") }} €. Send it?',
      }),
      node("reserve", "Reserve stock", "script", {
        source: 'return { shelf: "B-14", reservedUntil: "20:00" };',
        input: { order: "{{ steps.read.output.number }}" },
      }),
      node("carrier", "Choose the carrier", "switch", {
        expression: "steps.read.output.country",
        cases: ["NO", "PT"],
      }),
      label("posten", "Label: Posten"),
      label("ctt", "Label: CTT"),
      label("dhl", "Label: DHL"),
      node("tell", "Tell the warehouse", "publish_event", {
        topic: "warehouse",
        type: "order.ready",
        payload: { order: "{{ steps.read.output.number }}" },
      }),
      node("answer", "Answer", "respond", { body: { sent: true } }),
    ],
    edges: [
      edge("read", "customer"),
      edge("read", "score"),
      edge("score", "risky"),
      edge("risky", "review", "true"),
      edge("risky", "reserve", "false"),
      edge("review", "reserve", "approved"),
      edge("reserve", "carrier"),
      edge("customer", "carrier"),
      edge("carrier", "posten", "NO"),
      edge("carrier", "ctt", "PT"),
      edge("carrier", "dhl", "default"),
      edge("posten", "tell"),
      edge("ctt", "tell"),
      edge("dhl", "tell"),
      edge("tell", "answer"),
    ],
  };
}

/** The steps for each order of a day. */
function settlementOfOne(): object {
  const parcels = {
    nodes: [
      node("label", "Print the label", "set", { values: { parcel: "{{ parcel }}" } }),
      node("weigh", "Weigh it", "transform", { expression: "parcel * 2.4" }),
    ],
    edges: [edge("label", "weigh")],
  };
  return {
    nodes: [
      node("price", "Price in euro", "transform", {
        expression: "$round(order.total * steps.rates.output.NOK, 2)",
      }),
      node("large", "Above 70 €?", "condition", { expression: "steps.price.output > 70" }),
      node("rebate", "Rebate of 3 %", "transform", { expression: "steps.price.output * 0.97" }),
      {
        ...node("charge", "Charge the card", "script", {
          source:
            'if (input.number % 29 === 0) throw new Error("The card was refused.");\nreturn { charged: true };',
          input: { number: "{{ order.number }}" },
        }),
        onError: "branch",
      },
      node("refusal", "Note the refusal", "set", { values: { order: "{{ order.number }}" } }),
      node("parcels", "Each parcel", "loop", {
        items: "{{ order.express ? [1] : [1, 2] }}",
        as: "parcel",
        body: parcels,
      }),
    ],
    edges: [
      edge("price", "large"),
      edge("large", "rebate", "true"),
      edge("large", "charge", "false"),
      edge("rebate", "charge"),
      edge("charge", "parcels"),
      edge("charge", "refusal", "error"),
    ],
  };
}

export function settlement(): object {
  return {
    name: "Settle the day",
    trigger: { type: "manual" },
    nodes: [
      node("orders", "Orders of the day", "records", {
        operation: "list",
        table: "orders",
        limit: 100,
        sort: "-number",
      }),
      node("rates", "Exchange rates", "transform", {
        expression: '{ "NOK": 0.085, "SEK": 0.087 }',
      }),
      node("stock", "Check the stock", "script", { source: "return { free: 412, short: 0 };" }),
      node("each", "Each order", "loop", {
        items: "{{ steps.orders.output }}",
        as: "order",
        concurrency: 8,
        body: settlementOfOne(),
      }),
      node("sum", "Sum up", "transform", {
        expression:
          '{ "orders": $count(steps.orders.output), "total": $formatNumber($sum(steps.orders.output.total), "#,##0.00") & " kr" }',
      }),
      node("finance", "Finance agrees", "approval", {
        approvers: ["owner"],
        message:
          "{{ steps.sum.output.orders }} orders of {{ trigger.input.day }} are charged. Book them?",
        expiresMs: 172_800_000,
      }),
      node("book", "Book them", "publish_event", {
        topic: "finance",
        type: "day.settled",
        payload: { day: "{{ trigger.input.day }}" },
      }),
      node("stop", "Stop", "fail", { message: "Finance said no." }),
    ],
    edges: [
      edge("orders", "rates"),
      edge("orders", "stock"),
      edge("rates", "each"),
      edge("stock", "each"),
      edge("each", "sum"),
      edge("sum", "finance"),
      edge("finance", "book", "approved"),
      edge("finance", "stop", "rejected"),
    ],
  };
}

export function nightlySync(erp: string): object {
  return {
    name: "Nightly ERP sync",
    trigger: { type: "manual" },
    nodes: [
      node("since", "Since when", "set", { values: { since: "{{ run.createdAt }}" } }),
      call("fetch", "Fetch the orders", erp, { method: "GET", path: "/orders" }),
      node("keep", "Keep them", "publish_event", { topic: "erp", type: "orders.synced" }),
    ],
    edges: [edge("since", "fetch"), edge("fetch", "keep")],
  };
}

export function onboarding(): object {
  return {
    name: "Onboard a colleague",
    trigger: { type: "manual" },
    nodes: [
      node("agree", "The owner agrees", "approval", {
        approvers: ["owner"],
        message: "Laptop and access for {{ trigger.input.name }}?",
      }),
      node("order", "Tell the desk", "ticket", {
        operation: "create",
        kind: "incident",
        fields: { title: "Set up {{ trigger.input.name }}" },
      }),
    ],
    edges: [edge("agree", "order", "approved")],
  };
}

export function declinedPayment(teamId: string): object {
  return {
    name: "Follow up a declined payment",
    trigger: { type: "event_bus", topic: "payments", eventType: "payment.declined" },
    nodes: [
      node("large", "Above 500 €?", "condition", { expression: "trigger.event.data.amount > 500" }),
      node("ticket", "Open a ticket", "ticket", {
        operation: "create",
        kind: "incident",
        fields: {
          title: "Payment of order {{ trigger.event.data.order }} was declined",
          description: "{{ trigger.event.data.customer }}: {{ trigger.event.data.reason }}",
          category: "Payments",
          teamId,
          impact: 3,
          urgency: 1,
        },
      }),
      node("hold", "Hold the order", "publish_event", {
        topic: "warehouse",
        type: "order.held",
        payload: { order: "{{ trigger.event.data.order }}" },
      }),
      node("remind", "Remind them", "publish_event", {
        topic: "payments",
        type: "payment.reminded",
        payload: { order: "{{ trigger.event.data.order }}" },
      }),
    ],
    edges: [
      edge("large", "ticket", "true"),
      edge("large", "remind", "false"),
      edge("ticket", "hold"),
    ],
  };
}

export function paymentTriage(userId: string): object {
  return {
    name: "Triage payment tickets",
    trigger: {
      type: "event_bus",
      topic: "incident",
      eventType: "incident.created",
      filter: { "data.category": "Payments" },
    },
    nodes: [
      node("note", "Add the playbook", "ticket", {
        operation: "comment",
        kind: "incident",
        id: "{{ trigger.event.data.id }}",
        fields: { body: "Ask for another card first, then for a transfer.", internal: true },
      }),
      node("tell", "Tell who is on call", "notify", {
        userIds: [userId],
        title: "{{ trigger.event.data.title }}",
      }),
    ],
    edges: [edge("note", "tell")],
  };
}

/** Takes some minutes, because suppliers are processed in sequence. */
export function priceImport(suppliers: string): object {
  return {
    name: "Import supplier prices",
    trigger: { type: "manual" },
    nodes: [
      node("each", "Each supplier", "loop", {
        items: "{{ trigger.input.suppliers }}",
        as: "supplier",
        body: {
          nodes: [call("ask", "Ask for prices", suppliers, { method: "GET", path: "/prices" })],
          edges: [],
        },
      }),
    ],
    edges: [],
  };
}

export function customerCheck(crm: string): object {
  return {
    name: "Check a new customer",
    trigger: { type: "manual" },
    nodes: [
      call("ask", "Ask the CRM", crm, {
        method: "GET",
        path: "/customers/{{ trigger.input.number }}",
      }),
    ],
    edges: [],
  };
}
