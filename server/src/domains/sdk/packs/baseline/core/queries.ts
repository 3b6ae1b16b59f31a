export const queries = [
  {
    name: "Assets by category and status",
    description: "How many there are of each, and what they cost",
    sql: `select category, status, count(*) as assets, sum(cost) as cost
  from assets
 group by category, status
 order by category, status`,
  },
  {
    name: "Warranties that end soon",
    description: "Assets in use whose warranty ends before a day",
    sql: `select a.tag, a.name, a."warrantyUntil", v.name as vendor
  from assets a
  left join vendors v on v.id = a.vendor
 where a.status <> 'retired' and a."warrantyUntil" <= $1
 order by a."warrantyUntil"`,
    parameters: [{ name: "before", type: "date" }],
  },
  {
    name: "Spending by vendor",
    description: "The cost of all assets, by whom they were bought from",
    sql: `select v.name as vendor, v.status, count(a.id) as assets, coalesce(sum(a.cost), 0) as cost
  from vendors v
  left join assets a on a.vendor = v.id
 group by v.id, v.name, v.status
 order by cost desc`,
  },
];
