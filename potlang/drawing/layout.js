// Lays a graph out with dagre. Runs inside of V8 in a process of its own, and sees sizes and numbers alone, no text of any input.
//
// In: {sizes: [[width, height], …], lines: [[source, target, label width, label height, weight], …], gaps}, where
// lines run from smaller to larger numbers. Out: the middles of the boxes, and the points of each line between its ends.
// V8 alone has none of the functions that browsers add; dagre copies plain records with this one.
globalThis.structuredClone ??= (record) => JSON.parse(JSON.stringify(record));

function layOut(given) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: given.gaps.boxes, edgesep: given.gaps.lines, ranksep: given.gaps.ranks });
  given.sizes.forEach(([width, height], number) => graph.setNode(number, { width, height }));
  given.lines.forEach(([source, target, width, height, weight], number) =>
    graph.setEdge(String(source), String(target), { width, height, weight, labelpos: "c" }, String(number)));
  dagre.layout(graph);
  const lines = given.lines.map(([source, target], number) => {
    const line = graph.edge(String(source), String(target), String(number));
    // The first and the last point lie on the borders of the boxes: whoever draws has ends of its own.
    return { points: line.points.slice(1, -1).map(({ x, y }) => [x, y]), label: [line.x ?? 0, line.y ?? 0] };
  });
  return { middles: given.sizes.map((_, number) => [graph.node(number).x, graph.node(number).y]), lines };
}
