// The parts of Apache ECharts that the pages use. `npm run build` makes one file of them, with the
// names that are exported here as properties of a global `echarts`.
import { init, use } from "echarts/core";
import { BarChart, BoxplotChart, CustomChart, LineChart, SankeyChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  MarkPointComponent,
  TooltipComponent,
} from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

use([
  AriaComponent,
  BarChart,
  BoxplotChart,
  CustomChart,
  GridComponent,
  LegendComponent,
  LineChart,
  MarkLineComponent,
  MarkPointComponent,
  SVGRenderer,
  SankeyChart,
  ScatterChart,
  TooltipComponent,
]);

export { init };
