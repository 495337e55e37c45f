// Rows of published files, written by hand.
#pragma once

#include <string>

namespace quintet {

inline std::string header() {
  return "id,source,confidence,kind,status,framework,date,model,arch,params_b,layers,hidden,heads,"
         "kv_heads,ffn,vocab,seq,experts,topk,gpu,gpus,gpus_per_node,network,tp,pp,dp,cp,ep,vpp,"
         "mbs,gbs,recompute,seq_parallel,sharding,precision,attention,step_time_s,"
         "tokens_per_s_per_gpu,samples_per_s,tflops_per_gpu,mfu_pct,hfu_pct,peak_mem_gib,"
         "flops_convention,notes\n";
}

// A GPT of 8 layers on 16 A100, invented.
inline std::string gpt_row() {
  return "r-1,\"a, book\",high,measured,ok,Megatron-LM PTD-P,2021,gpt-small,gpt,,8,1024,16,16,4096,"
         "50257,1024,,,A100-SXM-80GB,16,8,8x HDR200 per node,2,2,4,1,1,2,1,32,full,false,none,fp16,"
         "megatron fused softmax,0.5,,,,,,,,\n";
}

}  // namespace quintet
